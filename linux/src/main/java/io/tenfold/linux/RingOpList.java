package io.tenfold.linux;

/** Operations in the order in which they came, linked through themselves. An operation is in one list at most. */
final class RingOpList {
    private RingOp head;
    private RingOp tail;
    private int size;

    boolean isEmpty() {
        return head == null;
    }

    int size() {
        return size;
    }

    void add(RingOp op) {
        assert !op.listed : "in a list already: " + op;
        op.listed = true;
        if (tail == null) {
            head = op;
        } else {
            tail.next = op;
        }
        tail = op;
        size++;
    }

    /** Takes the first out, or null. */
    RingOp poll() {
        RingOp first = head;
        if (first != null) {
            head = first.next;
            if (head == null) {
                tail = null;
            }
            first.next = null;
            first.listed = false;
            size--;
        }
        return first;
    }
}
