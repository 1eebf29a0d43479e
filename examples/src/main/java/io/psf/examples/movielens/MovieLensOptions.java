package io.psf.examples.movielens;

import io.psf.api.PsException;
import io.psf.examples.OptionCheck;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of the training. */
final class MovieLensOptions {
    @Option(names = "--mode", paramLabel = "MODE", description = "bsp, ssp or asp (default: ${DEFAULT-VALUE})")
    String mode = "ssp";

    @Option(
            names = "--staleness",
            paramLabel = "N",
            description = "the number of clocks that a worker may be ahead, in mode ssp (default: ${DEFAULT-VALUE})")
    int staleness = 8;

    @Option(names = "--epochs", paramLabel = "N", description = "default: ${DEFAULT-VALUE}")
    int epochs = 20;

    @Option(
            names = "--pause",
            paramLabel = "MS",
            description = "each worker pauses for so long after one of ten clocks, at random (default: 0)")
    int pause;

    /** Returns the number of clocks that a worker may be ahead; negative if there is no limit. */
    int lead() {
        return switch (mode) {
            case "bsp" -> 0;
            case "ssp" -> staleness;
            default -> -1;
        };
    }

    /**
     * Returns the number of updates of a row that a worker may hold back, and that its rows may lack. Rows are fresh in
     * mode bsp only.
     */
    int bound() {
        return mode.equals("bsp") ? 0 : staleness;
    }

    /**
     * Checks the options before any process is started.
     *
     * @throws PsException with {@code CONFIGURATION} if one of them is invalid
     */
    void check() {
        if (!List.of("bsp", "ssp", "asp").contains(mode)) {
            throw new PsException(PsException.Code.CONFIGURATION, "--mode: " + mode + " (expected: bsp, ssp, asp)");
        }
        OptionCheck.atLeast("--staleness", staleness, 1);
        OptionCheck.atLeast("--epochs", epochs, 1);
        OptionCheck.atLeast("--pause", pause, 0);
    }

    /** Returns these options as arguments of a worker's command line, with another mode. */
    List<String> arguments(String otherMode) {
        return List.of("--mode=" + otherMode, "--staleness=" + staleness, "--epochs=" + epochs, "--pause=" + pause);
    }
}
