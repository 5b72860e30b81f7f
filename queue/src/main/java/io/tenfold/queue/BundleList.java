package io.tenfold.queue;

/** Bundles in the order in which they came, linked through themselves. A bundle is in one list at most. Threads: one. */
final class BundleList {
    private Bundle first;
    private Bundle last;
    private int size;

    boolean isEmpty() {
        return first == null;
    }

    int size() {
        return size;
    }

    Bundle first() {
        return first;
    }

    Bundle last() {
        return last;
    }

    void add(Bundle bundle) {
        bundle.next = null;
        if (last == null) {
            first = bundle;
        } else {
            last.next = bundle;
        }
        last = bundle;
        size++;
    }

    /** Takes the first out; there is one. */
    Bundle poll() {
        Bundle gone = first;
        first = gone.next;
        if (first == null) {
            last = null;
        }
        gone.next = null;
        size--;
        return gone;
    }

    /** Moves all of another list to the end of this. */
    void addAll(BundleList other) {
        if (other.first == null) {
            return;
        }
        if (last == null) {
            first = other.first;
        } else {
            last.next = other.first;
        }
        last = other.last;
        size += other.size;
        other.first = null;
        other.last = null;
        other.size = 0;
    }
}
