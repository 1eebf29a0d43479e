package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.psf.acceptance.Page.Block;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The README's function as a new user makes it: a clone in an empty folder, psf's own script, Maven, and a project beside
 * it. Offline, from a local repository that has all that this build's repository has, but nothing of psf.
 */
@Tag("new-user")
@Timeout(600)
final class NewUserTest {
    private static final Pattern NAME = Pattern.compile("^public (?:final class|interface) (\\w+)", Pattern.MULTILINE);
    private static final String REPOSITORY = System.getProperty("psf.repository", "");

    private static final String SETTINGS = """
            <settings>
              <localRepository>%s</localRepository>
              <offline>true</offline>
            </settings>
            """;

    /** The files of the README that are saved in the project. */
    private static final List<String> SAVED = List.of("Axpy", "AxpyOnHost", "Main");

    @TempDir
    private Path folder;

    private Path home;
    private Path checkout;
    private final List<Process> started = new ArrayList<>();

    private static boolean isOnPath(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
    }

    @BeforeEach
    void aUserWithAClone() throws Exception {
        assumeThat(List.of("bash", "git", "mvn")).as("programs on the PATH").allMatch(NewUserTest::isOnPath);
        assumeThat(Page.ROOT.resolve(".git")).as("a checkout of git").exists();
        assumeThat(REPOSITORY).as("the local repository of the build").isNotEmpty();
        home = Files.createDirectories(folder.resolve("home"));
        checkout = folder.resolve("psf");
        Path repository = repositoryWithoutPsf();
        Files.createDirectories(home.resolve(".m2"));
        Files.writeString(home.resolve(".m2/settings.xml"), SETTINGS.formatted(repository));
        run(folder, "git clone --quiet '" + Page.ROOT.toRealPath() + "' psf");
    }

    @AfterEach
    void endAll() {
        started.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }

    /** Returns a repository whose folders are links to those of the build's, except that of psf. */
    private Path repositoryWithoutPsf() throws IOException {
        Path repository = folder.resolve("repository");
        Files.createDirectories(repository.resolve("io"));
        link(Path.of(REPOSITORY), repository, "io");
        link(Path.of(REPOSITORY, "io"), repository.resolve("io"), "psf");
        return repository;
    }

    private static void link(Path from, Path into, String without) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(from)) {
            for (Path each : all) {
                if (!each.getFileName().toString().equals(without)) {
                    Files.createSymbolicLink(into.resolve(each.getFileName()), each);
                }
            }
        }
    }

    @Test
    void theFunctionOfTheReadmeRunsUnderLaunch() throws Exception {
        long begin = System.nanoTime();
        List<Block> readme = Page.blocks(checkout.resolve("README.md"));
        run(checkout, commands(readme, "./psf new function axpy "));
        assertThat(folder.resolve("repository/io/psf/psf-api")).isDirectoryRecursivelyContaining("glob:**-sources.jar");
        for (Block block : readme) {
            Matcher name = NAME.matcher(block.text());
            if (name.find() && SAVED.contains(name.group(1))) {
                Files.writeString(folder.resolve("axpy/src/main/java/acme/" + name.group(1) + ".java"), block.text());
            }
        }
        List<String> lines = run(checkout, commands(readme, "mvn -f ../axpy package "));
        assertThat(lines).contains("[worker 0] norm 2000.0").anyMatch(line -> line.contains("BUILD SUCCESS"));
        System.out.printf(
                "a clone, and the README's function under ./psf launch: %d s%n",
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin));
    }

    /** Returns the block of commands that begins so. */
    private static String commands(List<Block> blocks, String first) {
        return blocks.stream()
                .filter(block -> block.language().equals("commands")
                        && Page.commands(block).get(0).startsWith(first))
                .findFirst()
                .orElseThrow()
                .text();
    }

    /** Runs commands as the user; returns their lines. */
    private List<String> run(Path where, String commands) throws Exception {
        Path said = Files.createTempFile(folder, "said", "");
        ProcessBuilder builder = new ProcessBuilder("bash", "-e", "-c", commands)
                .directory(where.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        builder.environment().keySet().removeIf(key -> key.matches("(PSF|DMLC|MAVEN|GIT)_.*"));
        builder.environment().put("HOME", home.toString());
        builder.environment().put("MAVEN_OPTS", "-Duser.home=" + home + " -Dmaven.legacyLocalRepo=true");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        started.add(process);
        assertThat(process.waitFor(550, TimeUnit.SECONDS)).as(commands).isTrue();
        assertThat(process.exitValue())
                .as("%s: %s", commands, Files.readString(said))
                .isZero();
        return Files.readAllLines(said);
    }
}
