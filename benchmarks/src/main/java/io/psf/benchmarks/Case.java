package io.psf.benchmarks;

import java.util.List;

/**
 * What is measured together, as data: the lines that come of it, and how it is set up.
 *
 * @param lines one or more
 * @param opening makes the tensors and arrays; not called for a case that is not run
 */
record Case(List<Line> lines, Opening opening) {
    /** Sets a case up. */
    @FunctionalInterface
    interface Opening {
        Sides open(Bench bench) throws Exception;
    }

    /** A case of one line. */
    static Case of(Line line, Opening opening) {
        return new Case(List.of(line), opening);
    }
}
