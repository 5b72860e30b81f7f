/**
 * Turns requests of any size into commands that one device can take, keeps a fixed number of them in flight, and decides who
 * waits and who is woken.
 *
 * <p>Read in this order: {@link Tags} (who may be in flight: small integers handed out without waiting),
 * {@link BitmapTags} (the default design; the others stand beside it), {@link TagSet} (waiting, waking, reserved tags,
 * a depth that changes while in use), {@link WakePolicy} (the rules of waking, each a flag), {@link TagClaim} (what a
 * waiter holds).
 *
 * <p>Then: {@link DeviceQueue} (the life of a request), {@link QueueOptions} (all that can be chosen), {@code QueueChannel}
 * (collects, merges, cuts, waits for tags), {@code HardwareQueue} (the device's side), {@link SingleQueue} (what was before).
 *
 * <p>Threads: tags are taken and given back from any thread; a channel belongs to its shard's.
 */
package io.tenfold.queue;
