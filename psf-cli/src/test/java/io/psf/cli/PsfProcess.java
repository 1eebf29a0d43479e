package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process of psf, or a worker, that a test starts without a job. Killed when closed. */
final class PsfProcess implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Thread reader;

    private PsfProcess(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("PSF_") && !name.equals(NodeJvm.OPTIONS));
        builder.environment().putAll(environment);
        this.process = builder.start();
        this.reader = new Thread(this::read);
        reader.start();
    }

    /** Starts {@code psf} with arguments. */
    static PsfProcess psf(Map<String, String> environment, String... arguments) throws IOException {
        return psf(List.of(), environment, arguments);
    }

    /** Starts {@code psf} with flags of its JVM and arguments. */
    static PsfProcess psf(List<String> flags, Map<String, String> environment, String... arguments) throws IOException {
        return new PsfProcess(NodeJvm.command(System.getProperty("java.class.path"), flags, arguments), environment);
    }

    /** Starts a {@link Child} that is a worker, or becomes one. */
    static PsfProcess child(Map<String, String> environment, String work) throws IOException {
        List<String> command = new ArrayList<>(List.of(NodeJvm.java()));
        command.addAll(NodeJvm.flags());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Child.class.getName(), work));
        return new PsfProcess(command, environment);
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            output.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            lines.add("the output broke off: " + e);
        }
    }

    Process process() {
        return process;
    }

    /** Returns what the first group of a pattern matches in the first line that has it, once there is one. */
    String awaitLine(String pattern) {
        Pattern compiled = Pattern.compile(pattern);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(lines)
                        .anyMatch(line -> compiled.matcher(line).find()));
        return lines.stream()
                .map(compiled::matcher)
                .filter(Matcher::find)
                .map(found -> found.groupCount() == 0 ? found.group() : found.group(1))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the exit code and the output, once the process has ended. */
    String said() throws InterruptedException {
        assertThat(process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS))
                .as(() -> "ends, after: " + String.join("\n", lines))
                .isTrue();
        reader.join(SOON.toMillis());
        return process.exitValue() + ": " + String.join("\n", lines);
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
    }
}
