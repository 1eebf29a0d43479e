package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Page.Block;
import io.psf.api.TensorId;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of the README and of the user's guide as they stand, in a folder with a checkout and a project
 * beside it. The checkout's {@code psf} builds nothing, javac does what Maven would, and ports are those of the system.
 */
@Tag("long")
@Timeout(180)
final class GuideCommandsTest {
    private static final String ADDRESS = "127.0.0.1:4080";
    private static final String QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"; // short lives: 20 JVMs start here
    private static final String PACKAGES = "mvn -f ../axpy package dependency:copy-dependencies -DincludeScope=runtime";
    private static final Pattern NAME = Pattern.compile("^public (?:final class|interface) (\\w+)", Pattern.MULTILINE);

    /** psf's log, the log of java.util.prefs, which jshell uses, and the words that a plain jshell begins and ends with. */
    private static final Pattern LOG = Pattern.compile("\\d\\d:\\d\\d:.*|.* java\\.util\\.prefs\\..*|(INFO|WARNING): .*"
            + "|\\|  (Welcome to JShell|For an introduction|Goodbye).*");

    /** Commands that are not run here, with the reason and the test that runs their parts. */
    private static final Map<String, String> ELSEWHERE = Map.of(
            "./psf demo", "builds, and trains for a minute: DemoTest",
            "mvn verify", "the build that runs this test",
            "PSF_JOURNAL=/var/lib/psf/journal PSF_ROLE=scheduler PSF_SCHEDULER=127.0.0.1:4080 PSF_SERVERS=3 PSF_WORKERS=2 ./psf node",
                    "waits for other nodes: SchedulerRestartTest, ChaosTest",
            "mvn install -Dmaven.test.skip -Dmaven.javadoc.skip -pl psf-builtin,psf-processor,psf-testkit -am",
                    "changes the local repository: ScriptTest");

    private final Set<String> seen = new HashSet<>();
    private final List<Process> started = new ArrayList<>();

    private static final String PROMPT = "jshell> ";

    @TempDir
    private Path folder;

    private Path checkout;
    private Path project;

    @BeforeEach
    void aCheckoutAndAProgram() throws IOException {
        checkout = Files.createDirectory(folder.resolve("psf"));
        project = folder.resolve("axpy");
        String ofPsf = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> Stream.of("test-classes", "examples").noneMatch(entry::contains))
                .filter(entry -> Files.exists(Path.of(entry)))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
        Path options = checkout.resolve("psf-cli/src/main/resources/io/psf/cli/jvm.options");
        Files.createDirectories(options.getParent());
        Files.copy(Path.of("../..").resolve(checkout.relativize(options)), options);
        Path psf = Files.writeString(
                checkout.resolve("psf"),
                "#!/usr/bin/env bash\nexec java '@" + options + "' $PSF_JAVA_OPTS -cp '" + ofPsf
                        + "' io.psf.cli.Main \"$@\"\n");
        Files.setPosixFilePermissions(psf, PosixFilePermissions.fromString("rwxr-xr-x"));
        Jars.collect(Snippets.classPath(), checkout.resolve("lib"));
        Snippets readme = new Snippets(folder.resolve("classes"));
        readme.add(Page.ROOT.resolve("README.md"));
        assertThat(readme.compile()).isEmpty();
        Jars.pack(folder.resolve("classes"), checkout.resolve("app.jar"));
    }

    @AfterEach
    void endAll() {
        started.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }

    @Test
    void everyCommandEndsWellAndPrintsTheShownLines() throws Exception {
        for (Path page : Page.ofUsers()) {
            List<Block> blocks = Page.blocks(page);
            for (int i = 0; i < blocks.size(); i++) {
                if (blocks.get(i).language().equals("commands")) {
                    run(blocks.get(i), blocks.subList(i + 1, Math.min(i + 2, blocks.size())));
                }
            }
        }
        assertThat(seen).hasSizeGreaterThan(10).containsAll(ELSEWHERE.keySet());
    }

    /** Runs a block, unless its commands have been run before, and compares it with the lines behind it. */
    private void run(Block block, List<Block> behind) throws Exception {
        List<String> commands = new ArrayList<>(Page.commands(block));
        boolean isNew = seen.addAll(commands);
        commands.removeIf(ELSEWHERE::containsKey);
        if (!isNew || commands.isEmpty()) {
            return;
        }
        if (commands.remove(PACKAGES)) {
            buildProject();
        }
        String language = behind.isEmpty() ? "" : behind.get(0).language();
        String shown = behind.isEmpty() ? "" : behind.get(0).text();
        if (commands.get(0).startsWith("./psf status")) {
            List<String> headings = headings(shown.lines());
            assertThat(headings).isNotEmpty();
            assertThat(headings(status(block, commands).stream())).isEqualTo(headings);
        } else if (language.equals("jshell")) {
            compareAnswers(bash(block, commands, typed(shown)), shown);
        } else {
            List<String> lines = bash(block, commands, "");
            assertThat(lines)
                    .as("%s", block)
                    .containsAll(language.equals("text") ? shown.lines().toList() : List.of());
        }
        if (commands.get(0).startsWith("./psf new")) {
            saveTheFilesOfTheReadme();
        }
    }

    /** Runs commands in the checkout; returns their lines. */
    private List<String> bash(Block block, List<String> commands, String input) throws Exception {
        String text = String.join("\n", commands) + "\nwait";
        if (text.contains("PSF_SCHEDULER=" + ADDRESS)) {
            text = text.replace(ADDRESS, "127.0.0.1:" + freePort());
        }
        Path said = Files.createTempFile(folder, "said", "");
        ProcessBuilder builder = new ProcessBuilder("bash", "-e", "-c", text)
                .directory(checkout.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        builder.environment().keySet().removeIf(key -> key.startsWith("PSF_") || key.startsWith("DMLC_"));
        builder.environment().put("PSF_JAVA_OPTS", QUICK);
        builder.environment().merge("PATH", System.getProperty("java.home") + "/bin:", (old, java) -> java + old);
        Process process = builder.start();
        started.add(process);
        try (OutputStream typed = process.getOutputStream()) {
            typed.write(input.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(process.waitFor(90, TimeUnit.SECONDS))
                .as("%s ends: %s", block, Files.readString(said))
                .isTrue();
        assertThat(process.exitValue())
                .as("%s: %s", block, Files.readString(said))
                .isZero();
        return Files.readAllLines(said);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private List<String> status(Block block, List<String> commands) throws Exception {
        try (PsCluster cluster = PsCluster.builder().servers(2).workers(1).tcp().start()) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4));
            assertThat(Statistics.of(cluster.worker()).functions()).isNotNull(); // the servers count from here on
            assertThat(Tensors.pull(cluster.worker(), w)).hasSize(4);
            String address = "127.0.0.1:" + cluster.scheduler().port();
            return bash(
                    block,
                    commands.stream()
                            .map(each -> each.replace(ADDRESS, address))
                            .toList(),
                    "");
        }
    }

    /** The headings of the tables of {@code psf status}. */
    private static List<String> headings(Stream<String> lines) {
        return lines.filter(line -> line.matches("[A-Z]+ [A-Z0-9/ ]+"))
                .map(line -> line.strip().replaceAll(" +", " "))
                .toList();
    }

    private static String typed(String shown) {
        return shown.lines()
                .filter(line -> line.startsWith(PROMPT))
                .map(line -> line.substring(PROMPT.length()) + "\n")
                .collect(Collectors.joining());
    }

    /** Compares all that the shell answers, without its prompts and the lines of the log. */
    private static void compareAnswers(List<String> lines, String shown) {
        List<String> typed = typed(shown).lines().toList();
        assertThat(lines.stream()
                        .map(line -> withoutInput(line, typed)
                                .replaceAll("\\p{Cntrl}", "") // of a plain jshell behind its prompt
                                .strip())
                        .filter(line -> !line.isEmpty() && !LOG.matcher(line).matches()))
                .containsExactlyElementsOf(shown.lines()
                        .filter(line -> !line.isEmpty() && !line.startsWith(PROMPT))
                        .toList());
    }

    /**
     * Removes prompts, and the input, which a shell shows, with or without an end of the line, if it had to wait for
     * it.
     */
    private static String withoutInput(String line, List<String> typed) {
        int prompt = line.lastIndexOf(PROMPT);
        String answer = prompt < 0 ? line : line.substring(prompt + PROMPT.length());
        for (String each : typed) {
            if (answer.startsWith(each)) {
                return answer.substring(each.length());
            }
        }
        return answer;
    }

    private void saveTheFilesOfTheReadme() throws IOException {
        List<String> saved = new ArrayList<>();
        for (Block block : Page.blocks(Page.ROOT.resolve("README.md"))) {
            Matcher name = NAME.matcher(block.text());
            if (name.find() && !name.group(1).equals("AxpyOnDevice")) {
                Files.writeString(project.resolve("src/main/java/acme/" + name.group(1) + ".java"), block.text());
                saved.add(name.group(1));
            }
        }
        assertThat(saved).containsExactly("Axpy", "AxpyOnHost", "Main");
    }

    /** Builds the project that {@code psf new} wrote, with the test that it wrote. */
    private void buildProject() throws IOException {
        assertThat(Files.readString(project.resolve("pom.xml")))
                .contains("<artifactId>axpy</artifactId>", "<version>0.1.0-SNAPSHOT</version>");
        Jars.compile(project.resolve("src"), project.resolve("target/test-classes"));
        Jars.compile(project.resolve("src/main"), project.resolve("target/classes"));
        Jars.pack(project.resolve("target/classes"), project.resolve("target/axpy-0.1.0-SNAPSHOT.jar"));
        Jars.collect(Snippets.classPath(), project.resolve("target/dependency"));
    }
}
