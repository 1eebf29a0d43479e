package io.psf.examples.movielens;

import io.psf.examples.Count;
import picocli.CommandLine.Option;

/** The options of the training. */
final class MovieLensOptions {
    @Option(names = "--mode", paramLabel = "MODE", description = "bsp, ssp or asp (default: ${DEFAULT-VALUE})")
    Consistency mode = Consistency.SSP;

    @Option(
            names = "--staleness",
            paramLabel = "N",
            converter = Count.class,
            description = "the number of clocks that a worker may be ahead, in mode ssp (default: ${DEFAULT-VALUE})")
    int staleness = 8;

    @Option(
            names = "--epochs",
            paramLabel = "N",
            converter = Count.class,
            description = "how often each worker goes through its ratings (default: ${DEFAULT-VALUE})")
    int epochs = 20;

    @Option(
            names = "--pause",
            paramLabel = "MS",
            converter = Count.OrZero.class,
            description =
                    "each worker pauses for so long after one of ten clocks, at random (default: ${DEFAULT-VALUE})")
    int pause;

    /** Returns the number of clocks that a worker may be ahead; negative if there is no limit. */
    int lead() {
        return switch (mode) {
            case BSP -> 0;
            case SSP -> staleness;
            case ASP -> -1;
        };
    }

    /**
     * Returns the number of updates of a row that a worker may hold back, and that its rows may lack. Rows are fresh in
     * mode bsp only.
     */
    int bound() {
        return mode == Consistency.BSP ? 0 : staleness;
    }
}
