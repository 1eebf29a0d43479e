package io.psf.examples.convnet;

import io.psf.api.PsException;
import io.psf.builtin.Late;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Updates;
import io.psf.examples.OptionCheck;
import io.psf.examples.lion.Lion;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of the training. */
final class ConvNetOptions {
    @Option(names = "--mode", paramLabel = "MODE", description = "sync or async (default: ${DEFAULT-VALUE})")
    String mode = "sync";

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "how many batches each worker trains on (default: ${DEFAULT-VALUE})")
    int rounds = 200;

    @Option(names = "--learning-rate", paramLabel = "RATE", description = "default: ${DEFAULT-VALUE}")
    double learningRate = 0.01;

    @Option(
            names = "--optimizer",
            paramLabel = "NAME",
            description = "sgd, momentum, adam or lion (default: ${DEFAULT-VALUE})")
    String optimizer = "sgd";

    @Option(
            names = "--quorum",
            paramLabel = "N",
            description = "a round takes the first N pushes, and drops later ones (default: those of all workers)")
    int quorum;

    @Option(
            names = "--compression",
            paramLabel = "TYPE",
            description = "2bit: a push sends two bits for each gradient (default: none)")
    String compression = "none";

    @Option(
            names = "--threshold",
            paramLabel = "T",
            description = "the step of a compressed gradient (default: ${DEFAULT-VALUE})")
    double threshold = 0.1;

    boolean isSynchronous() {
        require("--mode", mode, List.of("sync", "async"));
        return mode.equals("sync");
    }

    boolean isCompressed() {
        require("--compression", compression, List.of("none", "2bit"));
        return compression.equals("2bit");
    }

    /** Returns the update rule, which runs on the servers. Lion is an optimizer of the examples. */
    OptimizerSpec rule() {
        require("--optimizer", optimizer, List.of("sgd", "momentum", "adam", "lion"));
        return switch (optimizer) {
            case "momentum" -> Optimizers.momentum(learningRate, 0.9);
            case "adam" -> Optimizers.adam(learningRate);
            case "lion" -> Optimizers.of(new Lion((float) learningRate, 0.9f, 0.99f, 0));
            default -> Optimizers.sgd(learningRate);
        };
    }

    /** Returns the declaration with the mode of combining the workers' pushes. */
    TensorSpec combined(TensorSpec tensor) {
        if (!isSynchronous()) {
            return tensor.updates(Updates.EACH);
        }
        TensorSpec rounds = tensor.updates(Updates.SUM);
        return quorum == 0 ? rounds : rounds.quorum(quorum, Late.DROP);
    }

    /**
     * Checks the options before any process is started.
     *
     * @param workers the number of workers
     * @throws PsException with {@code CONFIGURATION} if one of them is invalid
     */
    void check(int workers) {
        isSynchronous();
        isCompressed();
        rule();
        OptionCheck.atLeast("--rounds", rounds, 1);
        if (quorum < 0 || quorum > workers) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--quorum: " + quorum + " (expected: at most the number of workers, " + workers
                            + "; 0 for all of them)");
        }
    }

    /** Returns these options as arguments of a worker's command line. */
    List<String> arguments() {
        return List.of(
                "--mode=" + mode,
                "--rounds=" + rounds,
                "--learning-rate=" + learningRate,
                "--optimizer=" + optimizer,
                "--quorum=" + quorum,
                "--compression=" + compression,
                "--threshold=" + threshold);
    }

    private static void require(String option, String value, List<String> expected) {
        if (!expected.contains(value)) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    option + ": " + value + " (expected: " + String.join(", ", expected) + ")");
        }
    }
}
