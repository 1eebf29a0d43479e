package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

@Timeout(120)
class NewProjectTest {
    @TempDir
    private Path folder;

    @Test
    void aProjectIsWhatItsNameSays() throws Exception {
        Path project = folder.resolve("click-model");

        Cli.Said said = Cli.run("new", "click-model", "--dir", project + "");

        assertThat(said.exit()).as(said.err()).isZero();
        assertThat(text(pom(project).getDocumentElement(), "artifactId")).isEqualTo("click-model");
        assertThat(text(pom(project).getDocumentElement(), "name")).isEqualTo("click-model");
        assertThat(text(pom(project).getDocumentElement(), "groupId")).isEqualTo("clickmodel");
        assertThat(project.resolve("README.md"))
                .content()
                .startsWith("# click-model\n\n`clickmodel.axpy` is a function")
                .contains("target/click-model-0.1.0-SNAPSHOT.jar", " clickmodel.Main\n")
                .doesNotContain("{{");
        assertThat(project.resolve("src/main/java/clickmodel/Main.java")).exists();
        assertThat(project.resolve(".gitignore")).hasContent("target/\n");
    }

    /** Maven resolves a plugin without a version by what is newest, over the network. */
    @Test
    void everyPluginOfTheBuildIsTheOneThatPsfIsBuiltWith() throws Exception {
        Cli.run("new", "clicks", "--dir", folder + "");
        Document own = parse(Path.of("../pom.xml"));

        Map<String, String> plugins = versions(pom(folder), own, "plugin");

        assertThat(plugins)
                .containsOnlyKeys(
                        "maven-clean-plugin",
                        "maven-compiler-plugin",
                        "maven-dependency-plugin",
                        "maven-install-plugin",
                        "maven-jar-plugin",
                        "maven-resources-plugin",
                        "maven-surefire-plugin");
        Map<String, String> ofPsf = versions(own, own, "plugin");
        plugins.forEach((plugin, version) -> assertThat(version).as(plugin).isEqualTo(ofPsf.get(plugin)));
    }

    /** So the local repository has them once psf is built, and the project is built offline. */
    @Test
    void everyDependencyIsOneOfPsfsOwnInItsVersion() throws Exception {
        Cli.run("new", "clicks", "--dir", folder + "");

        Map<String, String> dependencies = versions(pom(folder), pom(folder), "dependency");

        assertThat(dependencies)
                .containsOnlyKeys("psf-builtin", "psf-testkit", "slf4j-api", "logback-classic", "junit-jupiter");
        for (String artifact : List.of("slf4j-api", "logback-classic", "junit-jupiter")) {
            assertThat(System.getProperty("java.class.path"))
                    .contains(artifact + "-" + dependencies.get(artifact) + ".jar");
        }
    }

    @Tag("long")
    @Test
    void itsMainIsAWorkerUnderLaunch() throws Exception {
        Cli.run("new", "clicks", "--dir", folder + "");
        Path classes = folder.resolve("classes");
        Sources.compile(folder.resolve("src/main"), classes);
        Files.copy(folder.resolve("src/main/resources/logback.xml"), classes.resolve("logback.xml"));
        List<String> lines = new ArrayList<>();

        try (LocalJob job = LocalJob.builder()
                .servers(2)
                .classPath(List.of(classes.toString()))
                .workerCommand(List.of(NodeJvm.java(), "-cp", behind(classes), "clicks.Main"))
                .onLine((node, line) -> lines.add(LogLine.shown(node, line)))
                .start()) {
            job.awaitExit();
            assertThat(job.exitCode()).as("%s", lines).isZero();
        }

        assertThat(lines)
                .contains("[worker 0] squared norm 220.0")
                .as("one form of log")
                .anyMatch(line -> LogLine.parse(line)
                        .filter(log -> log.node().equals("worker 0"))
                        .isPresent());
    }

    /** The file of the project is before psf-cli's on the class path, as in a project without psf-cli. */
    private static String behind(Path classes) {
        return classes + File.pathSeparator + System.getProperty("java.class.path");
    }

    @Tag("long")
    @Test
    void itsTestPrintsNothing() throws Exception {
        Cli.run("new", "clicks", "--dir", folder + "");
        Path classes = folder.resolve("classes");
        Sources.compile(folder, classes);
        Files.copy(folder.resolve("src/test/resources/logback-test.xml"), classes.resolve("logback-test.xml"));
        Files.copy(folder.resolve("src/main/resources/logback.xml"), classes.resolve("logback.xml"));

        Process process = new ProcessBuilder(NodeJvm.command(behind(classes), List.of(), "--version").stream()
                        .map(word -> word.equals(Main.class.getName()) ? RunTest.class.getName() : word)
                        .map(word -> word.equals("--version") ? "clicks.AxpyTest" : word)
                        .toList())
                .redirectErrorStream(true)
                .start();

        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("2 tests\n");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void aProjectOfTheScriptIsNotToldToInstallPsf() throws Exception {
        assertThat(Cli.run("new", "clicks", "--dir", folder.resolve("alone") + "")
                        .out())
                .contains("It needs psf in your local Maven repository: mvn install");
        String before = System.setProperty(ProjectSources.CHECKOUT, folder.resolve("psf") + "");
        try {
            assertThat(Cli.run("new", "clicks", "--dir", folder.resolve("clicks") + "")
                            .out())
                    .doesNotContain("It needs psf")
                    .endsWith("Next: cd " + folder.resolve("clicks") + " && mvn test\n");
            assertThat(folder.resolve("clicks/README.md")).content().contains("\n    ../psf/psf launch --servers 2");
            Cli.run("new", "clicks", "--dir", folder.resolve("psf/clicks") + "");
            assertThat(folder.resolve("psf/clicks/README.md")).content().contains("\n    ../psf launch --servers 2");
            Cli.run("new", "clicks", "--dir", folder.resolve("far/off/clicks") + "");
            assertThat(folder.resolve("far/off/clicks/README.md"))
                    .content()
                    .contains("\n    " + folder.resolve("psf/psf") + " launch --servers 2");
        } finally {
            if (before == null) {
                System.clearProperty(ProjectSources.CHECKOUT);
            } else {
                System.setProperty(ProjectSources.CHECKOUT, before);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "new, 'NAME: not set (expected: a project''s name, or function; see psf new --help)'",
        "new 9lives, 'NAME: 9lives (expected: a letter, then letters, digits and single hyphens, such as row-norms; at most 80; --dir names the folder)'",
        "new ../clicks, 'NAME: ../clicks (expected: a letter, then letters, digits and single hyphens, such as row-norms; at most 80; --dir names the folder)'",
        "new enum, '--package: enum (expected: a package in Java, such as com.acme; at most 80)'",
        "new psf, '--package: psf (expected: one of your own, such as com.acme)'"
    })
    void aNameThatIsNoneIsOneSentence(String command, String sentence) {
        Cli.Said said = Cli.run(command.split(" ", -1));

        assertThat(said.exit()).isEqualTo(2);
        assertThat(said.err()).isEqualTo("psf: " + sentence);
    }

    @Test
    void aProjectIsNotWrittenIntoAnother() throws Exception {
        Path pom = Files.writeString(folder.resolve("pom.xml"), "<project/>");

        Cli.Said said = Cli.run("new", "clicks", "--dir", folder + "");

        assertThat(said.exit()).isEqualTo(2);
        assertThat(said.err())
                .isEqualTo("psf: " + pom
                        + ": exists already (expected: a folder without a project; psf new function adds to one)");
        assertThat(folder.resolve("src")).doesNotExist();
    }

    private static Document pom(Path project) throws Exception {
        return parse(project.resolve("pom.xml"));
    }

    private static Document parse(Path file) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    }

    private static String text(Element element, String child) {
        NodeList children = element.getChildNodes();
        for (int i = 0; i < children.getLength(); i++) {
            if (children.item(i).getNodeName().equals(child)) {
                return children.item(i).getTextContent();
            }
        }
        return "";
    }

    /** Returns the versions of plugins or dependencies by artifact, with the properties of a pom replaced. */
    private static Map<String, String> versions(Document pom, Document properties, String kind) {
        Map<String, String> versions = new HashMap<>();
        NodeList elements = pom.getElementsByTagName(kind);
        for (int i = 0; i < elements.getLength(); i++) {
            Element each = (Element) elements.item(i);
            String version = text(each, "version");
            if (version.startsWith("${")) {
                String name = version.substring(2, version.length() - 1);
                NodeList values = properties.getElementsByTagName(name);
                version = values.getLength() == 0 ? version : values.item(0).getTextContent();
            }
            versions.merge(text(each, "artifactId"), version, (one, other) -> one.isEmpty() ? other : one);
        }
        return versions;
    }
}
