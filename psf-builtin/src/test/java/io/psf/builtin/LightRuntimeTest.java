package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of processes whose class path is this artifact with its dependencies. The JVM has no flags. */
@Timeout(120)
final class LightRuntimeTest {
    /** Artifacts of this module's class path that a user's project does not get. */
    private static final Pattern OF_TESTS = Pattern.compile(
            "(psf-(testkit|processor)|javapoet|junit-|opentest4j|apiguardian-|assertj-|byte-buddy|surefire).*");

    @TempDir
    private Path folder;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly);
    }

    /** Returns the artifact of an entry of a class path, such as {@code psf-api}; of this module's tests, nothing. */
    private static String artifact(String entry) {
        Path path = Path.of(entry).toAbsolutePath();
        String last = path.getFileName().toString();
        return switch (last) {
            case "test-classes" -> "";
            case "classes" -> path.getName(path.getNameCount() - 3).toString();
            default -> last.replaceFirst("-\\d.*", "");
        };
    }

    private static List<String> entries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !artifact(entry).isEmpty()
                        && !OF_TESTS.matcher(Path.of(entry).getFileName().toString())
                                .matches()
                        && !OF_TESTS.matcher(artifact(entry)).matches())
                .toList();
    }

    @Test
    void thisArtifactBringsTheRuntimeWithALogAndAReaderOfYaml() {
        assertThat(entries().stream().map(LightRuntimeTest::artifact))
                .containsExactlyInAnyOrder(
                        "psf-builtin", "psf-runtime", "psf-api", "slf4j-api", "snakeyaml-engine", "jspecify");
    }

    @Test
    void aServerAndAWorkerRunWithNothingElseOnTheirClassPath() throws Exception {
        copyTheProgram();
        String classPath = Stream.concat(Stream.of(folder.toString()), entries().stream())
                .collect(Collectors.joining(File.pathSeparator));
        String address = "127.0.0.1:" + freePort();
        Process scheduler = start(classPath, address, "scheduler");
        Process server = start(classPath, address, "server");
        Process worker = start(classPath, address, "worker");

        String said = new String(worker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(said).contains("dense 4.0", "rows 1.0 2.0 3.0");
        for (Process process : List.of(worker, server, scheduler)) {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as("%s", said).isZero();
        }
    }

    private void copyTheProgram() throws Exception {
        Path classes = Path.of(LightNode.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path program = Path.of(LightNode.class.getPackageName().replace('.', '/'));
        Files.createDirectories(folder.resolve(program));
        try (Stream<Path> all = Files.list(classes.resolve(program))) {
            for (Path file : all.filter(each -> each.getFileName().toString().startsWith("LightNode"))
                    .toList()) {
                Files.copy(file, folder.resolve(classes.relativize(file)));
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Process start(String classPath, String address, String role) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        LightNode.class.getName())
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("PSF_") || name.startsWith("JAVA_TOOL"));
        builder.environment()
                .putAll(Map.of("PSF_ROLE", role, "PSF_SCHEDULER", address, "PSF_SERVERS", "1", "PSF_WORKERS", "1"));
        if (!role.equals("worker")) {
            builder.redirectOutput(folder.resolve(role + ".log").toFile());
        }
        Process process = builder.start();
        started.add(process);
        return process;
    }
}
