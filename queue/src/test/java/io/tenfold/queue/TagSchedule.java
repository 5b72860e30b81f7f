package io.tenfold.queue;

import io.tenfold.base.Prng;
import java.util.ArrayDeque;

/**
 * One schedule of submitters that claim tags, wait, hold and release, on one thread, all of it determined by a seed:
 * which design and rules, how many tags, shards and submitters, who acts next and how. Each call is one step, so that this
 * explores the order of calls, and Lincheck what goes on inside them.
 *
 * <p>Checked at every step: a tag has one holder; under the rules that promise it nobody is overtaken. At the end, when
 * everybody has released: nobody waits, and no tag is lost.
 */
final class TagSchedule {
    /** What a schedule spoils, to show that the checks find it. */
    enum Sabotage {
        NONE,
        /** Tags are given back behind the waiters' back. */
        SILENT_RELEASE,
        /** A rule that allows newcomers to overtake is held to the promise that nobody does. */
        UNFAIR_RULE,
        /** A tag is given back that somebody still holds. */
        DOUBLE_RELEASE
    }

    private static final int STEPS = 48;

    /** More than enough for six claims of 32 tags, one at a time. */
    private static final int TURNS_MAX = 1000;

    private static final TagDesign[] DESIGNS = TagDesign.values();
    private static final WakePolicy[] POLICIES = TagSetTest.policies().toArray(WakePolicy[]::new);

    private final Prng prng;
    private final long seed;
    private final Sabotage sabotage;
    final TagDesign design;
    final WakePolicy policy;
    private final int depthMax;
    private final int shards;
    private final Tags tags;
    private final TagSet set;
    private final Submitter[] submitters;
    private final int[] owners;
    private final int[] one = new int[1];
    private final ArrayDeque<Submitter> waiting = new ArrayDeque<>();
    private long trace;

    /** How many claims waited: schedules in which none does show little. */
    int waits;

    /** How often the depth was changed. */
    int resizes;

    private static final class Submitter {
        final TagClaim claim;
        int held;
        int returned;
        boolean waits;

        Submitter(TagClaim claim) {
            this.claim = claim;
        }
    }

    TagSchedule(long seed, Sabotage sabotage) {
        this.seed = seed;
        this.sabotage = sabotage;
        prng = new Prng(seed);
        design = DESIGNS[prng.below(DESIGNS.length)];
        policy = sabotage == Sabotage.UNFAIR_RULE ? WakePolicy.BY_NEED : POLICIES[prng.below(POLICIES.length)];
        depthMax = 1 + prng.below(prng.oneIn(4) ? 20 : 6);
        shards = 1 + prng.below(3);
        tags = design == TagDesign.BITMAP
                ? new BitmapTags(depthMax, shards, 1 << prng.below(4))
                : design.create(depthMax, shards);
        set = new TagSet(tags, 0, shards, policy);
        owners = new int[depthMax];
        submitters = new Submitter[2 + prng.below(5)];
        for (int i = 0; i < submitters.length; i++) {
            int index = i;
            submitters[i] = new Submitter(TagClaim.polled(
                    i % shards, WaiterStub.SILENT, 32, (_, from, count) -> granted(index, from, count)));
        }
    }

    /** Runs it to the end; returns what happened, as a number. */
    long run() {
        for (int step = 0; step < STEPS; step++) {
            int who = prng.below(submitters.length);
            Submitter submitter = submitters[who];
            switch (prng.below(8)) {
                case 0 -> set.poll(prng.below(shards));
                case 1 -> tryOne(who);
                case 2 -> {
                    if (prng.oneIn(4)) {
                        set.resize(1 + prng.below(depthMax));
                        resizes++;
                    }
                }
                default -> {
                    if (submitter.held > 0) {
                        release(who, prng.oneIn(2) ? 1 : submitter.held);
                    } else if (!submitter.waits) {
                        acquire(who);
                    } else {
                        set.poll(submitter.claim.shard);
                    }
                }
            }
        }
        drain();
        return trace;
    }

    private void acquire(int who) {
        Submitter submitter = submitters[who];
        int most = Math.min(32, prng.oneIn(4) ? depthMax + 3 : Math.min(depthMax, 4));
        int count = 1 + prng.below(most);
        submitter.returned = 0;
        boolean somebodyWaited = someoneWaits();
        if (set.acquire(submitter.claim, count)) {
            require(!somebodyWaited || mayOvertake(), "a newcomer took tags before those who wait");
            granted(who, 0, count);
        } else {
            submitter.waits = true;
            waiting.add(submitter);
            waits++;
        }
    }

    private void tryOne(int who) {
        boolean somebodyWaited = someoneWaits();
        one[0] = set.tryAcquire(submitters[who].claim.shard);
        if (one[0] != TagSet.NONE) {
            require(!somebodyWaited || mayOvertake(), "a newcomer took a tag before those who wait");
            require(owners[one[0]] == 0, "tag has two holders: tag=" + one[0]);
            set.release(submitters[who].claim.shard, one, 0, 1);
        }
    }

    /** Someone has neither got all his tags nor been promised them. Claims that were granted may not have polled. */
    private boolean someoneWaits() {
        for (Submitter submitter : waiting) {
            if (submitter.claim.granted() < submitter.claim.wanted) {
                return true;
            }
        }
        return false;
    }

    /** Whether a newcomer who has just taken tags did no harm to those who wait, or was allowed to. */
    private boolean mayOvertake() {
        if (!policy.preemptWhenPlenty()) {
            return !fair();
        }
        int needed = 0;
        for (Submitter submitter : waiting) {
            needed += submitter.claim.wanted - submitter.claim.granted() - submitter.claim.gathered;
        }
        return tags.free() >= needed;
    }

    private boolean fair() {
        return policy.handsOver() || sabotage == Sabotage.UNFAIR_RULE;
    }

    private void granted(int who, int from, int count) {
        Submitter submitter = submitters[who];
        for (int i = from; i < from + count; i++) {
            int tag = submitter.claim.tag(i);
            require(owners[tag] == 0, "tag has two holders: tag=" + tag);
            owners[tag] = who + 1;
            trace = trace * 31 + tag * 7L + who;
        }
        submitter.held += count;
        if (submitter.waits && fair()) {
            for (Submitter earlier : waiting) {
                if (earlier == submitter) {
                    break;
                }
                require(earlier.claim.granted() == earlier.claim.wanted, "who came later was served first");
            }
        }
        if (submitter.claim.isComplete()) {
            submitter.waits = false;
            waiting.remove(submitter);
        }
    }

    private void release(int who, int count) {
        Submitter submitter = submitters[who];
        for (int i = 0; i < count; i++) {
            int tag = submitter.claim.tag(submitter.returned++);
            owners[tag] = sabotage == Sabotage.DOUBLE_RELEASE && prng.oneIn(4) ? owners[tag] : 0;
            if (sabotage == Sabotage.SILENT_RELEASE) {
                tags.release(submitter.claim.shard, tag);
            } else {
                set.release(submitter.claim.shard, tag);
            }
        }
        submitter.held -= count;
    }

    /** Everybody releases and polls; nobody claims. */
    private void drain() {
        for (int turn = 0; turn < TURNS_MAX && !quiet(); turn++) {
            for (int who = 0; who < submitters.length; who++) {
                release(who, submitters[who].held);
                set.poll(submitters[who].claim.shard);
            }
        }
        for (int who = 0; who < submitters.length; who++) {
            require(!submitters[who].waits, "waits for ever: submitter=" + who);
        }
        set.resize(depthMax);
        require(tags.free() == depthMax, "tags were lost: free=" + tags.free());
    }

    private boolean quiet() {
        for (Submitter submitter : submitters) {
            if (submitter.held > 0 || submitter.waits) {
                return false;
            }
        }
        return true;
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what + ", seed=" + seed + ", design=" + design + ", depth=" + depthMax
                    + ", shards=" + shards + ", " + policy);
        }
    }
}
