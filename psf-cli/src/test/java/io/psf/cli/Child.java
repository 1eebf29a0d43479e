package io.psf.cli;

import io.psf.api.PsException;
import io.psf.api.Restore;
import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A user's program, as the tests need it. */
public final class Child {
    private Child() {}

    /** Does what the first argument says. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        String rank = System.getenv("PSF_RANK");
        switch (arguments[0]) {
            case "exit" -> {
                System.out.println("rank " + rank + " of " + System.getenv("PSF_WORKERS"));
                System.exit(Integer.parseInt(arguments[1]));
            }
            case "exit-if-rank" -> {
                if (arguments[1].equals(rank)) {
                    System.exit(Integer.parseInt(arguments[2]));
                }
                sleepForEver();
            }
            case "connect-unless-rank" -> {
                if (!arguments[1].equals(rank)) {
                    Worker.connect(Settings.fromEnvironment().worker()).close();
                }
            }
            case "property" -> System.out.println(arguments[1] + "=" + System.getProperty(arguments[1]));
            case "sleep" -> sleepForEver();
            case "refuse-to-end" -> {
                Runtime.getRuntime().addShutdownHook(new Thread(Child::sleepForEver));
                System.out.println("stubborn");
                sleepForEver();
            }
            case "beget" -> {
                Process child = new ProcessBuilder("sleep", "600").start();
                System.out.println("begot " + child.pid());
                sleepForEver();
            }
            case "connect" -> {
                try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
                    Tensors.init(worker, TensorSpec.dense("w", 10));
                    worker.barrier();
                    System.out.println("connected with rank " + worker.rank());
                }
            }
            case "clear" -> {
                try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
                    TensorId w = Tensors.init(worker, TensorSpec.dense("w", 10));
                    Tensors.push(worker, w, new float[10]).await();
                    System.out.println("pushed");
                    Tensors.clear(worker, w);
                } catch (PsException e) {
                    System.out.println("failed: " + e.getMessage());
                }
            }
            case "connect-when" -> {
                while (!Files.exists(Path.of(arguments[1]))) {
                    Thread.sleep(10);
                }
                try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
                    System.out.println("connected with rank " + worker.rank());
                    sleepForEver();
                }
            }
            case "push" -> {
                try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
                    TensorId pushed = Tensors.init(
                            worker, TensorSpec.dense("pushed", 8192).optimizer(Optimizers.adam(0.01)));
                    while (true) {
                        Tensors.push(worker, pushed, new float[8192]).await();
                    }
                }
            }
            case "one-round" -> {
                try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
                    TensorId summed =
                            Tensors.init(worker, TensorSpec.dense("summed", 4).updates(Updates.SUM));
                    worker.barrier();
                    while (worker.rank() > 0 && !Files.exists(Path.of(arguments[1]))) {
                        Thread.sleep(10);
                    }
                    System.out.println("pushes");
                    Tensors.push(worker, summed, new float[] {1, 1, 1, 1}).await();
                    System.out.println("pushed");
                    while (true) {
                        Tensors.pull(worker, summed);
                    }
                } catch (PsException e) {
                    System.out.println("failed: " + e.getMessage());
                }
            }
            case "rounds-until" -> {
                try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
                    TensorId ended =
                            Tensors.init(worker, TensorSpec.dense("ended", 1).updates(Updates.SUM));
                    float[] value = {0};
                    int rounds = 0;
                    while (value[0] == 0) {
                        float now = worker.rank() == 0 && Files.exists(Path.of(arguments[1])) ? 1 : 0;
                        Tensors.pushPull(worker, ended, new float[] {now}, value)
                                .await();
                        if (++rounds == 10) {
                            System.out.println("rounds");
                        }
                    }
                    System.out.println("ended by " + value[0]);
                }
            }
            case "push-after-a-save" -> {
                try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
                    TensorId w = Tensors.init(worker, TensorSpec.dense("w", 10));
                    ModelCheckpoints.at(worker, "m").restore(Restore.LOST).save(1, Map.of());
                    System.out.println("saved");
                    while (!Files.exists(Path.of(arguments[1]))) {
                        Tensors.push(worker, w, new float[10]).await();
                    }
                }
            }
            case "run-a-job" -> {
                LocalJob job = LocalJob.builder()
                        .servers(2)
                        .workerMain(Child.class, "sleep")
                        .start();
                for (String node : List.of("scheduler", "server 0", "server 1", "worker 0")) {
                    System.out.println("pid " + job.process(node).pid());
                }
                System.out.println("all started");
                job.awaitExit();
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void sleepForEver() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
