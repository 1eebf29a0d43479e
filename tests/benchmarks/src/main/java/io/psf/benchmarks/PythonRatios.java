package io.psf.benchmarks;

import io.psf.benchmarks.DenseCalls.Kind;
import io.psf.builtin.Optimizers;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Calls of the package for Python beside those of a worker in Java: the latency over TCP, in alternation. */
final class PythonRatios {
    private static final double WARM_SECONDS = 2;
    private static final int BATCHES = 16;

    /** The program on a connection to the server: it makes calls when it is told to. */
    private record Program(Process process, BufferedReader answers, BufferedWriter orders) implements AutoCloseable {
        static Program start(String command, int port) throws IOException {
            ProcessBuilder builder = new ProcessBuilder(command, "-u", "-m", "tests.bench")
                    .directory(Path.of("python").toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().put("PSF_SCHEDULER", "127.0.0.1:" + port);
            Process process = builder.start();
            Program program = new Program(
                    process, process.inputReader(StandardCharsets.UTF_8), process.outputWriter(StandardCharsets.UTF_8));
            program.answer();
            return program;
        }

        private String answer() throws IOException {
            String line = answers.readLine();
            if (line == null) {
                throw new IOException("python3: ended (expected: an answer; it needs numpy, and the folder python)");
            }
            return line;
        }

        double median(String call, double seconds) throws IOException {
            orders.write(call + " " + seconds + "\n");
            orders.flush();
            return Double.parseDouble(answer());
        }

        @Override
        public void close() {
            process.destroy();
            try (answers) {
                process.waitFor();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A call of both: its name, that of the program, and the greatest ratio that is the goal. */
    private record Case(
            String name,
            Calls java,
            String python,
            @Nullable Goal goal) {}

    private PythonRatios() {}

    /** Prints the table of the calls whose name matches a pattern. */
    static void print(String command, Pattern only) throws IOException, InterruptedException, ExecutionException {
        try (TlsRatios.Side side = TlsRatios.Side.start(null);
                Program program = Program.start(command, side.scheduler().port())) {
            System.out.println("| call | Java, us | Python, us | ratio | spread | goal |");
            System.out.println("|---|---|---|---|---|---|");
            for (Case each : cases(side)) {
                if (only.matcher(each.name()).find()) {
                    System.out.println(row(each, program));
                }
            }
        }
    }

    /** Those of one tensor follow one another: it is not cleared between them. */
    private static List<Case> cases(TlsRatios.Side side) {
        List<Case> cases = new ArrayList<>();
        for (Kind kind : new Kind[] {Kind.PUSH, Kind.PULL}) {
            for (int bytes : new int[] {4 << 10, 1 << 20}) {
                Calls java = new DenseCalls(side.worker(), kind, bytes, 1);
                String name = kind.label + " " + DenseCases.size(bytes);
                Goal goal = kind == Kind.PUSH ? null : Goal.ratioAtMost(bytes == 1 << 20 ? 1.3 : 4);
                String python = kind.label + " " + bytes;
                cases.add(new Case(name, java, python + " plain", goal));
                cases.add(new Case(name + ", checksums in Python", java, python + " checked", null));
            }
            for (Keys keys : Keys.values()) {
                long[][] drawn = keys == Keys.ZIPF ? keys.draw(SparseCalls.ROWS, SparseCalls.KEYS) : unique();
                Calls java = new SparseCalls(
                        side.worker(), kind == Kind.PUSH, SparseCalls.table(16, Optimizers.sgd(0.1)), drawn, 1);
                String keysName = keys == Keys.ZIPF ? "zipf" : "unique";
                String name = "%s of 10,000 rows 16 wide, %s".formatted(kind.label, keysName);
                Goal goal = Goal.ratioAtMost(1 / (keys == Keys.ZIPF ? 0.4 : 0.6));
                cases.add(new Case(name, java, kind.label + " " + keysName + " plain", goal));
            }
        }
        return cases;
    }

    private static long[][] unique() {
        Random random = new Random(20);
        return IntStream.range(0, BATCHES)
                .mapToObj(batch -> random.longs(0, SparseCalls.ROWS)
                        .distinct()
                        .limit(SparseCalls.KEYS)
                        .toArray())
                .toArray(long[][]::new);
    }

    private static String row(Case each, Program program) throws IOException {
        TlsRatios.median(each.java(), (long) (WARM_SECONDS * 1e9));
        program.median(each.python(), WARM_SECONDS);
        OtherLoad others = new OtherLoad();
        others.begin();
        double[] ours = new double[TlsRatios.ROUNDS];
        double[] floor = new double[TlsRatios.ROUNDS];
        for (int i = 0; i < TlsRatios.ROUNDS; i++) {
            floor[i] = TlsRatios.median(each.java(), TlsRatios.ROUND_NANOS);
            ours[i] = program.median(each.python(), TlsRatios.ROUND_NANOS / 1e9);
        }
        Line line = new Line(each.name(), "us", each.goal());
        return TlsRatios.row(new Result(line, ours, floor).disturbedBy(others.sinceLast()));
    }
}
