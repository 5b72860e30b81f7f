package io.tenfold.queue;

/** Claims in the order in which they came, linked through themselves. Threads: one at a time, see {@link TagServer}. */
final class ClaimQueue {
    private TagClaim first;
    private TagClaim last;
    private int size;

    TagClaim first() {
        return first;
    }

    boolean isEmpty() {
        return first == null;
    }

    int size() {
        return size;
    }

    void add(TagClaim claim) {
        claim.nextWaiting = null;
        if (last == null) {
            first = claim;
        } else {
            last.nextWaiting = claim;
        }
        last = claim;
        size++;
    }

    /** Takes the first out; it is no longer touched here. */
    void removeFirst() {
        TagClaim gone = first;
        first = gone.nextWaiting;
        if (first == null) {
            last = null;
        }
        gone.nextWaiting = null;
        size--;
    }
}
