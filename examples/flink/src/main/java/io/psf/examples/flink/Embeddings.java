package io.psf.examples.flink;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import io.psf.runtime.Settings;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table of the model, and where the cluster is that has it. Flink sends it to the task managers with the job.
 *
 * @param options settings of psf that take precedence over the environment of the task manager, such as PSF_SCHEDULER.
 *     The job carries them in plain text: PSF_SECRET belongs in the environment, or in the file that PSF_CONFIG names
 */
record Embeddings(HashMap<String, String> options) implements Serializable {
    private static final Logger LOG = LoggerFactory.getLogger(Embeddings.class);

    static final int WIDTH = 8;
    static final float RATE = 0.1f;
    static final TensorSpec SPEC = TensorSpec.growing("embeddings", WIDTH)
            .initializer(Initializers.uniform(0.1, 0.7, 1))
            .optimizer(Optimizers.sgd(RATE));
    static final TensorId TABLE = SPEC.tensor().id();

    Embeddings(Map<String, String> options) {
        this(new HashMap<>(options));
    }

    /** Connects a client, and creates the table if it is not there yet. Blocks. */
    Client connect() {
        Client client = Client.connect(Settings.fromEnvironment().with(options).worker());
        try {
            Tensors.init(client, SPEC);
            return client;
        } catch (RuntimeException e) {
            disconnect(client);
            throw e;
        }
    }

    /**
     * Disconnects a client. Logs what the close throws, a server that was lost with its rows: Flink ends the whole task
     * manager if the close of a failed task throws. Blocks while calls are answered.
     */
    static void disconnect(@Nullable Client client) {
        if (client != null) {
            try {
                client.close();
            } catch (PsException e) {
                LOG.warn("leaving the cluster: {}", e.getMessage());
            }
        }
    }
}
