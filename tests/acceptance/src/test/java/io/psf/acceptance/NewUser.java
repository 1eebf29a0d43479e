package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A user with a home of its own, who runs commands in folders below one folder. The user's local Maven repository has
 * all that this build's repository has, but nothing of psf.
 */
final class NewUser implements AutoCloseable {
    private static final String REPOSITORY = System.getProperty("psf.repository", "");

    private final Path folder;
    private final Path home;
    private final List<Process> started = new ArrayList<>();

    private NewUser(Path folder) throws IOException {
        this.folder = folder;
        this.home = Files.createDirectories(folder.resolve("home"));
    }

    /**
     * Returns a user, or skips the test.
     *
     * @param programs the programs that the test needs beside bash, git and Maven
     */
    static NewUser in(Path folder, String... programs) throws IOException {
        List<String> needed = new ArrayList<>(List.of("bash", "git", "mvn"));
        needed.addAll(List.of(programs));
        assumeThat(needed).as("programs on the PATH").allMatch(NewUser::isOnPath);
        assumeThat(Page.ROOT.resolve(".git")).as("a checkout of git").exists();
        assumeThat(REPOSITORY).as("the local repository of the build").isNotEmpty();
        NewUser user = new NewUser(folder);
        Files.createDirectories(user.repository().resolve("io"));
        link(Path.of(REPOSITORY), user.repository(), "io");
        link(Path.of(REPOSITORY, "io"), user.repository().resolve("io"), "psf");
        return user;
    }

    private static boolean isOnPath(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
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

    /** Returns the user's local Maven repository. */
    Path repository() {
        return folder.resolve("repository");
    }

    /** Writes the settings of Maven, with elements beside the local repository. */
    void settings(String elements) throws IOException {
        Files.createDirectories(home.resolve(".m2"));
        Files.writeString(
                home.resolve(".m2/settings.xml"),
                "<settings>\n<localRepository>%s</localRepository>\n%s\n</settings>\n"
                        .formatted(repository(), elements));
    }

    /** Clones the last commit into a folder. */
    Path cloneInto(String name) throws Exception {
        run(folder, "git clone --quiet '" + Page.ROOT.toRealPath() + "' " + name);
        return folder.resolve(name);
    }

    /** Runs commands as the user; returns their lines. */
    List<String> run(Path where, String commands) throws Exception {
        Path said = said(where, commands);
        Process last = started.get(started.size() - 1);
        assertThat(last.exitValue())
                .as("%s: %s", commands, Files.readString(said))
                .isZero();
        return Files.readAllLines(said);
    }

    /** Runs commands that are to fail; returns their lines. */
    List<String> fail(Path where, String commands) throws Exception {
        Path said = said(where, commands);
        assertThat(started.get(started.size() - 1).exitValue()).as(commands).isNotZero();
        return Files.readAllLines(said);
    }

    private Path said(Path where, String commands) throws Exception {
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
        assertThat(process.waitFor(1100, TimeUnit.SECONDS)).as(commands).isTrue();
        return said;
    }

    /** Ends all processes. */
    @Override
    public void close() {
        started.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }
}
