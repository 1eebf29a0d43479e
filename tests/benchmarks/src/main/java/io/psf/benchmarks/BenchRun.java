package io.psf.benchmarks;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One run of the benchmark: measures the parts in sequence, then writes the files. */
final class BenchRun {
    private static final Duration LIMIT = Duration.ofHours(3);

    private final @Nullable Transport transport;
    private final Plan plan;
    private final boolean full;
    private final Pattern only;
    private final @Nullable Recordings recordings;
    private final List<Result> results = new ArrayList<>();
    private final OtherLoad others = new OtherLoad();

    /**
     * Creates a run.
     *
     * @param transport the transport of all cases; null for TCP, with some cases again over shared memory
     */
    BenchRun(@Nullable Transport transport, Plan plan, boolean full, Pattern only, @Nullable Recordings recordings) {
        this.transport = transport;
        this.plan = plan;
        this.full = full;
        this.only = only;
        this.recordings = recordings;
    }

    /** Measures all parts and prints the results. Drops earlier results. Returns true if every part was completed. */
    boolean measure() throws IOException {
        results.clear();
        List<WorkerTask> tasks = Arrays.stream(Part.values())
                .filter(part -> transport == null || part != Part.SHARED_MEMORY)
                .map(part -> new WorkerTask(part, transportOf(part), part.placement(), plan, only))
                .filter(task -> !task.cases().isEmpty())
                .toList();
        if (tasks.isEmpty()) {
            names().forEach(System.out::println);
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--only: %s fits no case (expected: a part of one of the names above)".formatted(only));
        }
        System.out.println(Report.heading());
        boolean ended = true;
        for (WorkerTask task : tasks) {
            String reason = reasonAgainst(task.part());
            if (reason != null) {
                System.out.println(task.part() + ": left out, since " + reason);
                continue;
            }
            System.out.println(placement(task));
            if (run(task) != 0 && task.part() == Part.SHARED_MEMORY) {
                System.out.println("shared memory: left out, since its job failed");
            } else {
                ended &= isComplete(task);
            }
        }
        System.out.println(Report.summary(results));
        return ended;
    }

    private static List<String> names() {
        return Arrays.stream(Part.values())
                .flatMap(part -> part.cases(Transport.TCP).stream())
                .flatMap(c -> c.lines().stream())
                .map(Line::name)
                .toList();
    }

    private Transport transportOf(Part part) {
        return transport != null ? transport : part == Part.SHARED_MEMORY ? Transport.SHM : Transport.TCP;
    }

    private @Nullable String reasonAgainst(Part part) {
        return switch (part) {
            case ONE_WORKER, METER, SEVERAL_WORKERS, SHARED_MEMORY, SMALL_HEAP -> null;
            case ONE_PROCESSOR -> part.missing();
            case LARGE_SERVER -> {
                long available = ThisProcess.availableMemory();
                yield !full
                        ? "it is measured with --full only"
                        : available >= HeapCase.NEEDED
                                ? null
                                : String.format(
                                        Locale.ROOT,
                                        "the machine has %d MB of memory left (expected: %d)",
                                        available >> 20,
                                        HeapCase.NEEDED >> 20);
            }
            case MAPPED -> {
                long memory = ThisProcess.memoryOfMachine();
                yield !full
                        ? "it is measured with --full only"
                        : memory <= MappedCases.MOST_MEMORY
                                ? null
                                : String.format(
                                        Locale.ROOT,
                                        "the machine or container has %d MB of memory (expected: at most %d)",
                                        memory >> 20,
                                        MappedCases.MOST_MEMORY >> 20);
            }
        };
    }

    private static String placement(WorkerTask task) {
        String missing = task.part().missing();
        return "-- " + task.part() + ", " + task.transport() + ", "
                + task.placement().description() + (missing == null ? "" : ", since " + missing);
    }

    private int run(WorkerTask task) throws IOException {
        others.begin();
        Part part = task.part();
        BenchJob job = new BenchJob(
                part.name(),
                part.program,
                1,
                task.transport(),
                task.placement(),
                part.flags(),
                part.settings(),
                recordings);
        return job.run(LIMIT, line -> take(task, line), task.arguments());
    }

    private void take(WorkerTask task, String line) {
        if (!WorkerTask.isResult(line)) {
            System.out.println(line);
            return;
        }
        Result result = task.result(line).disturbedBy(others.sinceLast());
        results.add(result);
        System.out.println(Report.row(result));
    }

    private boolean isComplete(WorkerTask task) {
        List<Line> measured = results.stream().map(Result::line).toList();
        return task.cases().stream().allMatch(c -> measured.containsAll(c.lines()));
    }

    /** Writes the figures, and a plot next to them. */
    void write(Path json) throws IOException {
        write(json, Report.json(results), results);
    }

    /** Writes a text, and a plot of results next to it. */
    static void write(Path json, String text, List<Result> plotted) throws IOException {
        Files.createDirectories(json.toAbsolutePath().getParent());
        Files.writeString(json, text, StandardCharsets.UTF_8);
        String name = String.valueOf(json.getFileName());
        Path svg = json.resolveSibling(name.endsWith(".json") ? name.replaceAll("json$", "svg") : name + ".svg");
        String plot = Plot.svg(plotted, ThisProcess.machine(), LocalDate.now(ZoneId.systemDefault()));
        Files.writeString(svg, plot, StandardCharsets.UTF_8);
        System.out.println("written to " + json + " and " + svg);
    }

    List<Result> results() {
        return results;
    }
}
