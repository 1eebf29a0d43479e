package io.psf.benchmarks;

import java.util.List;

/**
 * A case: the lines that are measured together, and their setup.
 *
 * @param lines the case's lines, at least one
 * @param opening creates the tensors and arrays; called only if the case is run
 */
record Case(List<Line> lines, Opening opening) {
    /** Sets up a case. */
    @FunctionalInterface
    interface Opening {
        Sides open(Bench bench) throws Exception;
    }

    static Case of(Line line, Opening opening) {
        return new Case(List.of(line), opening);
    }
}
