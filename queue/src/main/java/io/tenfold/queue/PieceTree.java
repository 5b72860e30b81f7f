package io.tenfold.queue;

/**
 * Pieces sorted by offset, those of one offset as they came: a treap that is linked through its pieces, so that adding and
 * removing allocate nothing and cost about the logarithm of how many there are.
 *
 * <p>A piece's weight is a hash of its {@link Piece#sequence}, so no order of offsets makes the tree a list, unless somebody
 * chose it by the hash.
 *
 * <p>Threads: one.
 */
final class PieceTree {
    /** Above the root, which is to its left. */
    private final Piece top = new Piece(Piece.NO_TAG, _ -> {});

    /** The root, or null. */
    Piece root() {
        return top.left;
    }

    /** Adds a piece whose sequence no other here has. */
    void add(Piece piece) {
        assert piece.left == null && piece.right == null : "in a tree already: " + piece;
        Piece parent = top;
        boolean toLeft = true;
        Piece below = top.left;
        long weight = weight(piece);
        while (below != null && Long.compareUnsigned(weight(below), weight) >= 0) {
            parent = below;
            toLeft = isBefore(piece, below);
            below = toLeft ? below.left : below.right;
        }
        link(parent, toLeft, piece);
        split(below, piece);
    }

    /** Hangs what is before a piece to its left, and what is behind it to its right. */
    private static void split(Piece from, Piece piece) {
        // While it goes on, the lower ones hang from piece.right and the higher ones from piece.left: so the loop needs
        // no
        // case for the first of each.
        Piece lowest = piece;
        Piece highest = piece;
        Piece at = from;
        while (at != null) {
            if (isBefore(at, piece)) {
                lowest.right = at;
                lowest = at;
                at = at.right;
            } else {
                highest.left = at;
                highest = at;
                at = at.left;
            }
        }
        lowest.right = null;
        highest.left = null;
        Piece lower = piece.right;
        piece.right = piece.left;
        piece.left = lower;
    }

    /** Takes a piece out that is in here. */
    void remove(Piece piece) {
        Piece parent = top;
        boolean toLeft = true;
        for (Piece at = top.left; at != piece; at = toLeft ? at.left : at.right) {
            parent = at;
            toLeft = isBefore(piece, at);
        }
        Piece lower = piece.left;
        Piece higher = piece.right;
        piece.left = null;
        piece.right = null;
        while (lower != null && higher != null) {
            if (Long.compareUnsigned(weight(lower), weight(higher)) >= 0) {
                link(parent, toLeft, lower);
                parent = lower;
                toLeft = false;
                lower = lower.right;
            } else {
                link(parent, toLeft, higher);
                parent = higher;
                toLeft = true;
                higher = higher.left;
            }
        }
        link(parent, toLeft, lower == null ? higher : lower);
    }

    /** The lowest at or behind an offset, or null. */
    Piece firstFrom(long offset) {
        Piece found = null;
        Piece at = top.left;
        while (at != null) {
            if (at.lower.offset() >= offset) {
                found = at;
                at = at.left;
            } else {
                at = at.right;
            }
        }
        return found;
    }

    private static void link(Piece parent, boolean toLeft, Piece child) {
        if (toLeft) {
            parent.left = child;
        } else {
            parent.right = child;
        }
    }

    private static boolean isBefore(Piece piece, Piece other) {
        long offset = piece.lower.offset();
        long otherOffset = other.lower.offset();
        return offset < otherOffset || (offset == otherOffset && piece.sequence < other.sequence);
    }

    private static long weight(Piece piece) {
        long mixed = (piece.sequence ^ piece.sequence >>> 32) * 0x9E3779B97F4A7C15L;
        return (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
    }
}
