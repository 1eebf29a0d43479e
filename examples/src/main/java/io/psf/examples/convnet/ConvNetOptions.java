package io.psf.examples.convnet;

import io.psf.api.PsException;
import io.psf.builtin.Late;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Updates;
import io.psf.examples.Count;
import io.psf.examples.Mode;
import picocli.CommandLine.Option;

/** The options of the training. */
final class ConvNetOptions {
    /** The compression of the pushes. */
    enum Compression {
        NONE("none"),
        TWO_BITS("2bit");

        private final String type;

        Compression(String type) {
            this.type = type;
        }

        /** Returns the option's value on the command line. */
        @Override
        public String toString() {
            return type;
        }
    }

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description =
                    "sync: rounds of one push of each worker; async: each push is applied when it arrives (default:"
                            + " ${DEFAULT-VALUE})")
    Mode mode = Mode.SYNC;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            converter = Count.class,
            description = "how many batches each worker trains on (default: ${DEFAULT-VALUE})")
    int rounds = 200;

    @Option(
            names = "--learning-rate",
            paramLabel = "RATE",
            description = "of the optimizer (default: ${DEFAULT-VALUE})")
    double learningRate = 0.01;

    @Option(
            names = "--optimizer",
            paramLabel = "NAME",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    UpdateRule optimizer = UpdateRule.SGD;

    @Option(
            names = "--quorum",
            paramLabel = "N",
            converter = Count.OrZero.class,
            description = "a round takes the first N pushes, and drops later ones (default: the pushes of all workers)")
    int quorum;

    @Option(
            names = "--compression",
            paramLabel = "TYPE",
            description = "2bit: a push sends two bits for each gradient (default: ${DEFAULT-VALUE})")
    Compression compression = Compression.NONE;

    @Option(
            names = "--threshold",
            paramLabel = "T",
            description = "the step of a compressed gradient (default: ${DEFAULT-VALUE})")
    double threshold = 0.1;

    boolean isSynchronous() {
        return mode == Mode.SYNC;
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
     * @throws PsException with {@code CONFIGURATION} if the quorum is larger than that
     */
    void check(int workers) {
        if (quorum > workers) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--quorum: " + quorum + " (expected: at most the number of workers, " + workers
                            + "; 0 for all of them)");
        }
    }
}
