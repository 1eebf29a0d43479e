package io.psf.simulation.world;

import java.util.SplittableRandom;

/** Something that breaks. A record, whose text is the sentence of the trace. */
public interface Fault {
    /** Breaks something, and mends it if it is to be mended. Runs on a thread of the test, and may sleep. */
    void happen(World world) throws InterruptedException;

    /** True if a node may be lost by it. */
    boolean mayLose();

    /** True if calls of workers that are not killed may fail by it. */
    default boolean mayFail() {
        return mayLose();
    }

    /** True if the scheduler may be without its journal by it. */
    default boolean breaksJournal() {
        return false;
    }

    /** True if another scheduler goes on from the journal. */
    default boolean needsJournal() {
        return false;
    }

    /** Returns for how long nodes may be silent by it, in milliseconds: several faults together may lose a node. */
    default long silenceMillis() {
        return 0;
    }

    /** Draws a fault of one kind. */
    @FunctionalInterface
    interface Kind {
        Fault draw(Shape shape, SplittableRandom random);
    }
}
