package io.psf.builtin.checkpoint;

import java.util.ArrayList;
import java.util.List;

/**
 * The files that together have the rows of one shard: a file with all rows, and the increments that follow it, each with
 * the changes since the one before.
 *
 * @param pieces the files, oldest first, at least one, all of the same range
 */
record Chain(List<Piece> pieces) {
    Chain {
        pieces = List.copyOf(pieces);
        for (int i = 0; i < pieces.size(); i++) {
            Piece each = pieces.get(i);
            if (each.bases() != i
                    || each.begin() != pieces.get(0).begin()
                    || each.end() != last(pieces).end()) {
                throw new IllegalArgumentException("file " + i + " of rows " + each.rows() + ": " + each.bases()
                        + " bases (expected: a file with all rows of "
                        + last(pieces).rows() + ", then its increments)");
            }
        }
    }

    static Chain of(Piece whole) {
        return new Chain(List.of(whole));
    }

    /** Returns the chain with an increment at its end. */
    Chain and(Piece increment) {
        List<Piece> all = new ArrayList<>(pieces);
        all.add(increment);
        return new Chain(all);
    }

    /** Returns the newest file. */
    Piece last() {
        return last(pieces);
    }

    private static Piece last(List<Piece> pieces) {
        return pieces.get(pieces.size() - 1);
    }

    long begin() {
        return last().begin();
    }

    long end() {
        return last().end();
    }
}
