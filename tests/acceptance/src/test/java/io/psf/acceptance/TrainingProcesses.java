package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A training job of real processes, each with a name such as {@code server 0}, which are killed, stopped and started
 * again. The workers run {@link TrainingLoopMain}.
 */
final class TrainingProcesses implements AutoCloseable {
    static final List<String> SERVERS = List.of("server 0", "server 1", "server 2");
    static final List<String> WORKERS = List.of("worker 0", "worker 1", "worker 2");
    private static final List<String> NODES = Stream.of(List.of("scheduler"), SERVERS, WORKERS)
            .flatMap(List::stream)
            .toList();

    private final Map<String, Process> nodes = new ConcurrentHashMap<>();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final long began = System.nanoTime();
    private long progress = began;
    private int linesBefore;
    private final Path checkpoints;
    private final Function<String, Map<String, String>> settings;
    private final Duration longest;
    private final int steps;
    private final int port;
    private List<String> program = java(TrainingLoopMain.class.getName());

    /**
     * Starts nothing.
     *
     * @param settings those of all nodes
     * @param longest the time in which one of the processes has to print a line
     */
    TrainingProcesses(Path checkpoints, Map<String, String> settings, int steps, Duration longest) throws IOException {
        this(checkpoints, node -> settings, steps, longest);
    }

    /** As above, with settings by the name of a node. */
    TrainingProcesses(Path checkpoints, Function<String, Map<String, String>> settings, int steps, Duration longest)
            throws IOException {
        this.checkpoints = Files.createDirectories(checkpoints);
        this.settings = settings;
        this.longest = longest;
        this.steps = steps;
        this.port = FixedPort.free();
    }

    /** Lets the workers run another program, with the number of steps as its argument. */
    TrainingProcesses running(Class<?> other) {
        return running(java(other.getName()));
    }

    /** Lets the workers run another program, with the number of steps as its last argument. */
    TrainingProcesses running(List<String> command) {
        program = command;
        return this;
    }

    private static List<String> java(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Runs a job to its end, and kills nodes one after the other, with ten steps between them.
     *
     * @return the model, which is the same for all workers
     */
    String train(List<String> victims) throws IOException, InterruptedException {
        start();
        for (String victim : victims) {
            long before = printed("worker", "STEP");
            superviseUntil(() -> printed("worker", "STEP") > before + 10);
            kill(victim);
            supervise();
        }
        superviseUntil(this::hasEnded);
        awaitEnd();
        assertThat(node("scheduler").exitValue()).as(this::toString).isZero();
        assertThat(models().stream().distinct()).as(this::toString).hasSize(1);
        return models().get(0);
    }

    /** Returns the names of the nodes of a role. */
    static List<String> of(String role) {
        return NODES.stream().filter(node -> node.startsWith(role)).toList();
    }

    /** Starts all nodes. */
    void start() throws IOException {
        for (String node : NODES) {
            start(node, Map.of());
        }
    }

    /** Starts a node, with more settings. */
    void start(String name, Map<String, String> more) throws IOException {
        String role = name.replaceAll(" .*", "");
        List<String> command = new ArrayList<>(role.equals("worker") ? program : java("io.psf.cli.Main", "node"));
        if (role.equals("worker")) {
            command.add("" + steps);
        }
        Map<String, String> environment = new HashMap<>(Map.of(
                "PSF_ROLE",
                role,
                "PSF_SCHEDULER",
                "127.0.0.1:" + port,
                "PSF_SERVERS",
                "" + SERVERS.size(),
                "PSF_WORKERS",
                "" + WORKERS.size(),
                "PSF_HEARTBEAT_LIMIT",
                "2s",
                "PSF_SERVER_RETURN",
                "60s",
                "PSF_WORKER_RETURN",
                "60s",
                "PSF_CHECKPOINTS",
                checkpoints.toString()));
        if (!role.equals(name)) {
            environment.put("PSF_RANK", name.replaceAll(".* ", ""));
        }
        environment.putAll(settings.apply(name));
        environment.putAll(more);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        nodes.put(name, process);
        Thread reader = new Thread(() -> read(name, process), "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    private void read(String name, Process process) {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(name + ": " + line);
            }
        } catch (IOException e) {
            lines.add(name + ": " + e);
        }
    }

    Process node(String name) {
        return Objects.requireNonNull(nodes.get(name), name);
    }

    int port() {
        return port;
    }

    Path checkpoints() {
        return checkpoints;
    }

    double seconds() {
        return (System.nanoTime() - began) / 1e9;
    }

    /** Kills a node with SIGKILL. */
    void kill(String name) throws InterruptedException {
        lines.add("test: kills " + name);
        node(name).destroyForcibly().waitFor();
    }

    /** Stops a node for a time, and lets it go on. */
    void stop(String name, Duration time) throws IOException, InterruptedException {
        lines.add("test: stops " + name);
        Process node = node(name);
        ProcessesTest.signal("STOP", node);
        TimeUnit.MILLISECONDS.sleep(time.toMillis());
        ProcessesTest.signal("CONT", node);
    }

    /** Starts the nodes again that have failed, as a supervisor does. */
    void supervise() throws IOException {
        for (Map.Entry<String, Process> each : nodes.entrySet()) {
            if (!each.getValue().isAlive() && each.getValue().exitValue() != 0) {
                lines.add("test: starts " + each.getKey() + " again after exit code "
                        + each.getValue().exitValue());
                start(each.getKey(), Map.of());
            }
        }
    }

    /** Waits until something holds, and starts failed nodes again meanwhile. */
    void superviseUntil(BooleanSupplier holds) throws IOException {
        while (!holds.getAsBoolean()) {
            supervise();
            passes();
        }
    }

    /** Waits until a node has printed a text. */
    void await(String node, String text) {
        until(() -> printed(node, text) > 0);
    }

    /** Waits until something holds. */
    void until(BooleanSupplier holds) {
        while (!holds.getAsBoolean()) {
            passes();
        }
    }

    private void passes() {
        long now = System.nanoTime();
        if (lines.size() != linesBefore) {
            linesBefore = lines.size();
            progress = now;
        }
        assertThat(now - progress).as(this::toString).isLessThan(longest.toNanos());
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns how many lines of a node have a text. */
    long printed(String node, String text) {
        return lines.stream()
                .filter(line -> line.startsWith(node) && line.contains(text))
                .count();
    }

    /** True if a worker has ended in order. */
    boolean hasEnded(String worker) {
        Process process = node(worker);
        return !process.isAlive() && process.exitValue() == 0;
    }

    boolean hasEnded() {
        return WORKERS.stream().allMatch(this::hasEnded);
    }

    /** Waits for the workers of a job that has ended. Kills those that have come too late. Returns true if none has. */
    boolean endWorkers() throws InterruptedException {
        boolean allHaveEnded = true;
        for (String worker : WORKERS) {
            Process process = node(worker);
            if (!process.waitFor(15, TimeUnit.SECONDS)) {
                kill(worker);
            }
            allHaveEnded &= process.exitValue() == 0;
        }
        return allHaveEnded;
    }

    /** Returns the models that the workers have printed. */
    List<String> models() {
        return lines("MODEL");
    }

    /** Returns what the workers have printed from a word on. */
    List<String> lines(String word) {
        return lines.stream()
                .filter(line -> line.startsWith("worker") && line.contains(word))
                .map(line -> line.substring(line.indexOf(word)))
                .toList();
    }

    /** Waits until all processes have ended. */
    void awaitEnd() throws InterruptedException {
        for (Map.Entry<String, Process> node : nodes.entrySet()) {
            assertThat(node.getValue().waitFor(30, TimeUnit.SECONDS))
                    .as(() -> node.getKey() + " has not ended:\n" + this)
                    .isTrue();
        }
    }

    @Override
    public void close() {
        nodes.values().forEach(Process::destroyForcibly);
    }

    /** Returns what the nodes have printed. */
    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
