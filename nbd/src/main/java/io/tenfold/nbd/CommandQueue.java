package io.tenfold.nbd;

/** Commands in their order, linked through themselves: no allocation. A command is in one queue at most. */
final class CommandQueue {
    private Command head;
    private Command tail;

    boolean isEmpty() {
        return head == null;
    }

    void add(Command command) {
        assert command.next == null && command != tail : "in a queue already: " + command;
        if (tail == null) {
            head = command;
        } else {
            tail.next = command;
        }
        tail = command;
    }

    /** The first, left in the queue, or null; {@link Command#next} leads on. */
    Command peek() {
        return head;
    }

    /** Takes the first out, or null. */
    Command poll() {
        Command first = head;
        if (first != null) {
            head = first.next;
            first.next = null;
            if (head == null) {
                tail = null;
            }
        }
        return first;
    }
}
