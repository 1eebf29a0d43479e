package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the program of the archive that {@code psf-dist} builds: without Maven, and without a checkout. */
@Timeout(120)
class DistributionTest {
    private static final Pattern LINK = Pattern.compile("]\\((?!http)([^)#]+)");
    private static final Path ARCHIVES = Path.of("../../psf-dist/target");

    @TempDir
    private Path folder;

    private Path home = Path.of("");

    @BeforeEach
    void unpack() throws IOException {
        assumeTrue(Files.isDirectory(ARCHIVES), "not run, since there is no archive (mvn package)");
        Path archive;
        try (var files = Files.list(ARCHIVES)) {
            archive = files.filter(file -> file.toString().endsWith(".zip"))
                    .findFirst()
                    .orElseThrow();
        }
        try (InputStream file = Files.newInputStream(archive);
                ZipInputStream in = new ZipInputStream(file)) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                Path to = folder.resolve(entry.getName());
                if (entry.isDirectory()) {
                    Files.createDirectories(to);
                } else {
                    Files.copy(in, to);
                }
            }
        }
        home = folder.resolve(archive.getFileName().toString().replaceAll("\\.zip$", ""));
        assertThat(home.resolve("bin/psf").toFile().setExecutable(true))
                .isTrue(); // Java's reader of archives drops modes
    }

    @Test
    void theProgramRunsWithWhatTheArchiveHas() throws Exception {
        String version = home.getFileName().toString().replace("psf-", "psf ");
        assertThat(psf("", "--version")).isEqualTo("0: " + version);
        assertThat(psf("", "server")).startsWith("2: ").contains("psf: PSF_SCHEDULER: not set");
        assertThat(psf("", "classpath").substring(3).split(":"))
                .allMatch(jar -> jar.startsWith(home.resolve("lib").toString()))
                .anyMatch(jar -> jar.contains("psf-builtin-"))
                .anyMatch(jar -> jar.contains("handlers-gpu-"));
    }

    @Test
    void theProgramOfTheReadmeRunsWithoutMaven() throws Exception {
        String page = Files.readString(home.resolve("README.md"));
        int begin = page.indexOf("```java\n") + "```java\n".length();
        Files.writeString(home.resolve("Sum.java"), page.substring(begin, page.indexOf("```", begin)));
        assertThat(commands(page, "psf launch .*Sum.java"))
                .startsWith("0: ")
                .contains("[worker 0] [-2.0, -1.0]", "[worker 1] [-2.0, -1.0]");
    }

    @Test
    void aFunctionOfAUserIsCompiledByTheJdkAlone() throws Exception {
        String page = Files.readString(home.resolve("README.md"));
        assertThat(commands(page, "psf new .*|javac .*|psf launch .*clicks.Main"))
                .startsWith("0: ")
                .contains("[worker 0] squared norm 220.0");
        assertThat(home.resolve("compile"))
                .isDirectoryContaining("glob:**/psf-testkit-*.jar")
                .isDirectoryNotContaining("glob:**/psf-runtime-*.jar");
    }

    @Test
    void typedFunctionsAreWrittenByTheWheelOfTheArchive() throws Exception {
        String folderOfPython = Python.with("numpy").startsWith("/") ? "/usr/bin:" : "";
        String examples = Path.of("../../examples/target/classes").toRealPath().toString();
        String stubs = "'" + home + "/bin/psf' stubs --python typed --classpath '" + examples + "'";
        assertThat(run("", "bash", "-c", "PATH=" + folderOfPython + "$PATH; " + stubs))
                .startsWith("0: ")
                .contains("typed/acme/axpy.py");
        assertThat(psf("", "stubs", "--python", "typed", "--classpath", "jars", "schema"))
                .isEqualTo("2: psf: --classpath, --scheduler, FILE: several (expected: at most one of them)");
    }

    @Test
    void theArchiveHasTheDocumentsThatItsPagesLinkTo() throws Exception {
        for (String page : List.of("README.md", "deploy/README.md")) {
            for (Matcher link = LINK.matcher(Files.readString(home.resolve(page))); link.find(); ) {
                assertThat(home.resolve(page).resolveSibling(link.group(1)))
                        .as(page)
                        .exists();
            }
        }
        assertThat(home.resolve("docs/guide/clusters.md")).exists();
        assertThat(home.resolve("deploy/compose")).isDirectoryContaining("glob:**/*.yaml");
    }

    @Test
    void theArchivesHaveCompletionsAndSayWhatTheyAre() throws Exception {
        assertThat(Files.readString(home.resolve("completions/psf"))).contains("status", "--scheduler");
        assertThat(Files.readString(home.resolve("README.md")))
                .startsWith("# psf 0.")
                .doesNotContain("${");
        assertThat(home.resolve("LICENSE")).exists();
        try (var files = Files.list(ARCHIVES)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .contains(home.getFileName() + ".tar.gz", home.getFileName() + ".zip");
        }
    }

    /** Runs the commands of the README that match, in the folder of the archive. */
    private String commands(String page, String matching) throws Exception {
        String commands = page.lines()
                .map(String::strip)
                .filter(line -> line.matches(matching))
                .collect(Collectors.joining(" && "));
        return run("", "bash", "-c", "cd '" + home + "' && PATH=\"$PWD/bin:$JAVA_HOME/bin:$PATH\" && " + commands);
    }

    private String psf(String input, String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("bash", home.resolve("bin/psf").toString()));
        command.addAll(List.of(arguments));
        return run(input, command.toArray(String[]::new));
    }

    /** Returns the exit code and the lines. */
    private String run(String input, String... command) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).directory(folder.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment()
                .keySet()
                .removeIf(name -> name.startsWith("PSF_") && !name.equals("PSF_JAVA_OPTS") || name.startsWith("DMLC_"));
        Process process = builder.start();
        try (var in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + ": " + said.strip();
    }
}
