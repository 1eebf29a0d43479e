package io.psf.gpu.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.gpu.onhost.HostDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** on-device.sh with an archive whose Java is a script, and a compute-sanitizer that the test says. */
@Timeout(60)
class ScriptOnHostTest {
    private static final String JAVA = """
            #!/bin/bash
            folder="${@: -1}"
            part="${@: -2:1}"
            case " $* " in
              *".OnDevice sanitizer "*) echo "${@: -1}" >"$RESULT"; exit 0 ;;
              *".OnDevice demo "*) echo "${@: -1}" >"$RESULT.demo"; exit 0 ;;
              *" demo --device 0 ") echo "AUC 0.75"; exit "${DEMO:-0}" ;;
            esac
            mkdir -p "$folder/parts"
            [ "$part" != tests ] || echo text >"$folder/report.txt"
            if [ "$part" = benchmarks ] && [ -n "${REAL:-}" ]; then
              exec "$REAL" -XX:TieredStopAtLevel=1 -Dpsf.gpu.small=true -cp "$CLASSES" io.psf.gpu.report.OnDevice benchmarks "$folder"
            fi
            if [ "$part" = tests ] && [ -n "${HANGS:-}" ]; then
              echo $$ >"$RESULT"
              exec sleep 50
            fi
            if [ "$part" = every-kernel ] && [ -z "${SILENT:-}" ]; then echo "a test begins"; fi
            """;

    private static final String SANITIZER = """
            #!/bin/bash
            tool=$2
            while [ "$1" != --log-file ]; do shift; done
            log=$2
            shift 2
            "$@"
            [ "$tool" != racecheck ] || [ -z "${RACES:-}" ] || SAYS=$RACES
            [ -z "${SAYS:-}" ] || echo "========= $SAYS" >"$log"
            exit "${ENDS:-0}"
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void pack() throws IOException, InterruptedException {
        Path script = Path.of("on-device.sh").toAbsolutePath();
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/bin/bash")) && Files.exists(script), "not run, since there is no bash");
        Files.copy(script, folder.resolve("on-device.sh"));
        executable(folder.resolve("pack/on-device/java/bin/java"), JAVA);
        executable(folder.resolve("bin/compute-sanitizer"), SANITIZER);
        Files.createDirectories(folder.resolve("target"));
        Process tar = new ProcessBuilder("tar", "-C", "pack", "-czf", "target/on-device.tar.gz", "on-device")
                .directory(folder.toFile())
                .inheritIO()
                .start();
        assertThat(tar.waitFor()).isZero();
    }

    private static void executable(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private Process start(Map<String, String> environment) throws IOException {
        return start(environment, "on-device.sh", "report");
    }

    private Process start(Map<String, String> environment, String script, String argument) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("/bin/bash", script, argument)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output.txt").toFile());
        builder.environment().putAll(environment);
        builder.environment().put("RESULT", result().toString());
        builder.environment()
                .put("TMPDIR", Files.createDirectories(folder.resolve("tmp")).toString());
        builder.environment().merge("PATH", folder.resolve("bin").toString(), (path, first) -> first + ":" + path);
        return builder.start();
    }

    private Path result() {
        return folder.resolve("result");
    }

    private void run(Map<String, String> environment, int exit, String sanitizer) throws Exception {
        assertThat(start(environment).waitFor())
                .as(Files.readString(folder.resolve("output.txt")))
                .isEqualTo(exit);
        assertThat(Files.readString(result()).strip()).isEqualTo(sanitizer);
        requireClean();
    }

    /** Returns the results of the tools, which are the same. */
    private static String each(String result) {
        return "memcheck: " + result + "\ninitcheck: " + result + "\nracecheck: " + result;
    }

    private void requireClean() throws IOException {
        assertThat(folder.resolve("report/parts")).doesNotExist();
        try (var left = Files.list(folder.resolve("tmp"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aSanitizerThatFindsNothingPasses() throws Exception {
        run(
                Map.of("SAYS", "ERROR SUMMARY: 0 errors", "RACES", "RACECHECK SUMMARY: 0 hazards displayed"),
                0,
                "memcheck: 0 errors\ninitcheck: 0 errors\nracecheck: 0 hazards displayed");
        assertThat(folder.resolve("result.demo")).hasContent("AUC 0.75");
    }

    @Test
    void aSanitizerThatFindsErrorsFails() throws Exception {
        run(Map.of("SAYS", "ERROR SUMMARY: 2 errors", "ENDS", "1"), 1, each("2 errors"));
    }

    /** Each benchmark runs on the driver of the host, with few rows. Its times say nothing. */
    @Test
    @Tag("long")
    @Timeout(300)
    void theBenchmarksRun() throws Exception {
        Map<String, String> environment = new HashMap<>(new HostDriver(folder).environment());
        environment.put("SAYS", "ERROR SUMMARY: 0 errors");
        environment.put(
                "REAL", Path.of(System.getProperty("java.home"), "bin", "java").toString());
        environment.put("CLASSES", System.getProperty("java.class.path"));
        run(environment, 0, each("0 errors"));
        String report = Files.readString(folder.resolve("report/report.txt"));
        assertThat(report)
                .contains("find 16M keys among 32M", "quoted figure", "new keys to a full table", "Zipf keys")
                .contains("on 4 lanes", "of 1 float", "34 GB", "Tensors.pullRows of 1 keys")
                .doesNotContain("not measured", "did not end");
    }

    @Test
    void aRaceFails() throws Exception {
        run(
                Map.of("SAYS", "ERROR SUMMARY: 0 errors", "RACES", "RACECHECK SUMMARY: 3 hazards displayed"),
                1,
                "memcheck: 0 errors\ninitcheck: 0 errors\nracecheck: 3 hazards displayed");
    }

    @Test
    void aDemoThatFailsFails() throws Exception {
        run(Map.of("SAYS", "ERROR SUMMARY: 0 errors", "DEMO", "2"), 1, each("0 errors"));
        assertThat(folder.resolve("result.demo")).hasContent("exit code 2");
    }

    @Test
    void aSanitizerThatTheMachineRefusesIsNotRun() throws Exception {
        run(
                Map.of("SAYS", "Error: Device not supported", "ENDS", "1"),
                0,
                each("not run, since this machine refuses compute-sanitizer: Error: Device not supported"));
        run(
                Map.of("SILENT", "1", "ENDS", "9"),
                0,
                each("not run, since this machine refuses compute-sanitizer: it ended before the first test with exit code 9: ")
                        .strip());
    }

    @Test
    void aSanitizerWithoutAResultFails() throws Exception {
        run(Map.of("ENDS", "7"), 1, each("no result (exit code 7)"));
    }

    /** Maven and jlink are scripts here, and xz hangs when it has written half of the archive. */
    @Test
    void aBuildThatIsEndedLeavesTheArchiveBeforeIt() throws Exception {
        Path module = folder.resolve("checkout/handlers-gpu");
        Path archive = module.resolve("target/on-device.tar.xz");
        Files.createDirectories(archive.getParent());
        Files.writeString(archive, "the one before");
        Files.copy(folder.resolve("on-device.sh"), module.resolve("on-device.sh"));
        for (String file : new String[] {
            "examples/target/psf-examples.jar",
            "examples/target/test-classes/x",
            "examples/target/on-device.classpath",
            "handlers-gpu/target/test-classes/x",
            "psf-cli/src/main/resources/io/psf/cli/jvm.options",
            "handlers-gpu-1.jar"
        }) {
            Path path = folder.resolve("checkout").resolve(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, "");
        }
        Files.writeString(
                module.resolve("target/on-device.classpath"),
                folder.resolve("checkout/handlers-gpu-1.jar").toString());
        executable(folder.resolve("bin/mvn"), "#!/bin/bash\n");
        executable(folder.resolve("jdk/bin/jlink"), "#!/bin/bash\nmkdir -p \"${@: -1}\"\n");
        executable(folder.resolve("bin/xz"), "#!/bin/bash\necho half\necho $$ >\"$RESULT\"\nexec sleep 50\n");
        Process process = start(
                Map.of("JAVA_HOME", folder.resolve("jdk").toString()), "checkout/handlers-gpu/on-device.sh", "build");
        long xz = awaitPart();
        process.destroy();
        ProcessHandle.of(xz).ifPresent(ProcessHandle::destroy); // as Ctrl-C ends the group of processes
        assertThat(process.waitFor()).isEqualTo(143);
        requireClean();
        try (var left = Files.list(archive.getParent())) {
            assertThat(left.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("on-device.tar.xz", "on-device.classpath");
        }
        assertThat(archive).hasContent("the one before");
    }

    /** Waits until a part has written the number of its process. */
    private long awaitPart() throws IOException {
        await("the part that hangs")
                .atMost(Duration.ofSeconds(30))
                .until(() ->
                        Files.exists(result()) && Files.readString(result()).endsWith("\n"));
        return Long.parseLong(Files.readString(result()).strip());
    }

    @Test
    void aRunThatIsEndedLeavesNothingBehind() throws Exception {
        Process process = start(Map.of("HANGS", "1"));
        long part = awaitPart();
        process.destroy();
        assertThat(process.waitFor()).isEqualTo(143);
        requireClean();
        Optional<ProcessHandle> left = ProcessHandle.of(part);
        if (left.isPresent()) {
            assertThat(left.get().onExit()).succeedsWithin(Duration.ofSeconds(20));
        }
    }
}
