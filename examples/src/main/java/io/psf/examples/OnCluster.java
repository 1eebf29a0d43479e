package io.psf.examples;

import io.psf.runtime.PsCluster;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.util.Map;
import java.util.function.Consumer;

/** Runs a program as a worker, so that the same {@code main} works standalone and in a cluster. */
public final class OnCluster {
    private OnCluster() {}

    /**
     * Runs a program as a worker of the cluster that the environment names. If it names none, starts an embedded
     * cluster of two servers in this JVM.
     */
    public static void run(Consumer<Worker> program) {
        Map<String, String> environment = System.getenv();
        boolean isStartedAlone = environment.get("PSF_CONFIG") == null
                && Settings.names("PSF_SCHEDULER").stream().noneMatch(environment::containsKey);
        if (isStartedAlone) {
            try (PsCluster cluster = PsCluster.embedded(2)) {
                program.accept(cluster.worker());
            }
        } else {
            WorkerConfig config = Settings.of(environment).worker();
            try (Worker worker = Worker.connect(config)) {
                program.accept(worker);
            }
        }
    }
}
