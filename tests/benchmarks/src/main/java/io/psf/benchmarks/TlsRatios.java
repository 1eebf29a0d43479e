package io.psf.benchmarks;

import io.psf.benchmarks.DenseCalls.Kind;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.Tls;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import io.psf.runtime.internal.transport.tls.TlsAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What TLS costs: the latency of calls over TCP with TLS and without it, in alternation, in this process. */
final class TlsRatios {
    static final int ROUNDS = 11;
    static final long ROUND_NANOS = 200_000_000;
    private static final long WARM_NANOS = 3_000_000_000L;
    private static final int[] SIZES = {4 << 10, 64 << 10, 1 << 20, 16 << 20};

    private TlsRatios() {}

    /** A cluster of one server and one worker. */
    record Side(Scheduler scheduler, Server server, Worker worker) implements AutoCloseable {
        static Side start(@Nullable Tls tls) throws InterruptedException, ExecutionException {
            TransportConfig tcp = TransportConfig.usual().withKind(TransportConfig.Kind.TCP);
            SchedulerConfig size = SchedulerConfig.of(1, 1);
            Scheduler scheduler = Scheduler.start(tls == null ? size : size.withTls(tls));
            ServerConfig server = ServerConfig.of("127.0.0.1", scheduler.port()).withTransport(tcp);
            WorkerConfig worker = WorkerConfig.of("127.0.0.1", scheduler.port()).withTransport(tcp);
            CompletableFuture<Server> started =
                    CompletableFuture.supplyAsync(() -> Server.start(tls == null ? server : server.withTls(tls)));
            Worker connected = Worker.connect(tls == null ? worker : worker.withTls(tls)); // once the server is there
            return new Side(scheduler, started.get(), connected);
        }

        @Override
        public void close() {
            worker.close();
            server.close();
            scheduler.close();
        }
    }

    /** Prints the table of the calls whose name matches a pattern. */
    static void print(Pattern only) throws IOException, InterruptedException, ExecutionException {
        Path folder = Files.createTempDirectory("psf-bench-tls");
        TlsAuthority.Issued files = new TlsAuthority(folder, "bench").issue("node");
        Tls tls = new Tls(files.certificate(), files.key(), files.authority());
        try (Side plain = Side.start(null);
                Side secured = Side.start(tls)) {
            System.out.println("| call | TCP, us | TLS, us | ratio | spread | goal |");
            System.out.println("|---|---|---|---|---|---|");
            for (int bytes : SIZES) {
                for (Kind kind : new Kind[] {Kind.PUSH, Kind.PULL}) {
                    if (only.matcher(name(kind, bytes)).find()) {
                        System.out.println(row(plain.worker(), secured.worker(), kind, bytes));
                    }
                }
            }
        } finally {
            try (var all = Files.list(folder)) {
                for (Path file : all.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }

    private static String row(Worker plain, Worker secured, Kind kind, int bytes) {
        try (DenseCalls without = new DenseCalls(plain, kind, bytes, 1);
                DenseCalls with = new DenseCalls(secured, kind, bytes, 1)) {
            median(without, WARM_NANOS);
            median(with, WARM_NANOS);
            OtherLoad others = new OtherLoad();
            others.begin();
            double[] ours = new double[ROUNDS];
            double[] floor = new double[ROUNDS];
            for (int i = 0; i < ROUNDS; i++) {
                floor[i] = median(without, ROUND_NANOS);
                ours[i] = median(with, ROUND_NANOS);
            }
            Line line = new Line(name(kind, bytes), "us", goal(bytes));
            return row(new Result(line, ours, floor).disturbedBy(others.sinceLast()));
        }
    }

    /** Returns a row of a table: the floor's figure first. */
    static String row(Result result) {
        return "| %s | %s | %s | %s | %s | %s |"
                .formatted(
                        result.line().name(),
                        Report.number(result.floorMedian()),
                        Report.number(result.oursMedian()),
                        Report.number(result.ratio()),
                        Report.spread(result),
                        Report.verdict(result));
    }

    private static String name(Kind kind, int bytes) {
        return kind.label + " " + DenseCases.size(bytes);
    }

    private static @Nullable Goal goal(int bytes) {
        return switch (bytes) {
            case 4 << 10 -> Goal.ratioAtMost(1.6);
            case 1 << 20 -> Goal.ratioAtMost(2.5);
            default -> null;
        };
    }

    /** Returns the median latency of calls, one after another, in microseconds. */
    static double median(Calls calls, long nanos) {
        double[] took = new double[1 << 16];
        int n = 0;
        for (long begin = System.nanoTime(); n < took.length && (n < 5 || System.nanoTime() - begin < nanos); n++) {
            long before = System.nanoTime();
            calls.send(0).await();
            took[n] = (System.nanoTime() - before) / 1e3;
        }
        Arrays.sort(took, 0, n);
        return took[n / 2];
    }
}
