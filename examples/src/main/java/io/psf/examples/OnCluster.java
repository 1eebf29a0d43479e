package io.psf.examples;

import io.psf.api.Role;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.Server;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Runs a program as a worker, so that the same {@code main} works standalone and in a cluster. */
public final class OnCluster {
    private OnCluster() {}

    /** Returns true if the environment names neither a cluster nor a role. */
    public static boolean isStartedAlone() {
        Map<String, String> environment = System.getenv();
        return environment.get("PSF_CONFIG") == null
                && Stream.of("PSF_SCHEDULER", "PSF_ROLE")
                        .flatMap(name -> Settings.names(name).stream())
                        .noneMatch(environment::containsKey);
    }

    /**
     * Runs a program as a worker of the cluster that the environment names. If it names none, starts an embedded
     * cluster of two servers in this JVM.
     */
    public static void run(Consumer<Worker> program) {
        if (isStartedAlone()) {
            try (PsCluster cluster = PsCluster.embedded(2)) {
                program.accept(cluster.worker());
            }
        } else {
            WorkerConfig config = Settings.of(System.getenv()).worker();
            try (Worker worker = Worker.connect(config)) {
                program.accept(worker);
            }
        }
    }

    /**
     * Plays the role that the environment names: runs a scheduler or a server until the job ends, or a program as a
     * worker. If it names no cluster, runs the program on an embedded one.
     */
    public static void play(Consumer<Worker> program) {
        Role role =
                isStartedAlone() ? Role.WORKER : Settings.of(System.getenv()).role();
        switch (role) {
            case SCHEDULER -> {
                try (Scheduler node =
                        Scheduler.start(Settings.of(System.getenv()).scheduler())) {
                    node.awaitTermination();
                }
            }
            case SERVER -> {
                try (Server node = Server.start(Settings.of(System.getenv()).server())) {
                    node.awaitTermination();
                }
            }
            case WORKER, CLIENT -> run(program);
        }
    }
}
