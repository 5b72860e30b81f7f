package io.tenfold.block;

/**
 * Requests in the order in which they came, linked through themselves: no allocation. A request is in one list at most.
 *
 * <p>Threads: one.
 */
public final class RequestList {
    private Request head;
    private Request tail;
    private int size;

    /** An empty list. */
    public RequestList() {}

    /** Whether nothing is in it. */
    public boolean isEmpty() {
        return head == null;
    }

    /** How many are in it. */
    public int size() {
        return size;
    }

    /** Adds at the end. */
    public void add(Request request) {
        assert !request.listed : "in a list already: " + request;
        request.listed = true;
        request.next = null;
        if (tail == null) {
            head = request;
        } else {
            tail.next = request;
        }
        tail = request;
        size++;
    }

    /** The first, left in the list, or null. */
    public Request peek() {
        return head;
    }

    /** Takes the first out, or null. */
    public Request poll() {
        Request first = head;
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
