package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;

@Timeout(120)
class NewFunctionTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"shard", "server", "scheduler"})
    void whatIsWrittenCompilesAndItsTestPasses(String place) throws Exception {
        Path project = folder.resolve("row-norms");

        Cli.Said said =
                Cli.run("new", "function", "row-norms", "--package", "com.acme", "--dir", project + "", "--at", place);

        assertThat(said.exit()).as(said.err()).isZero();
        assertThat(said.out())
                .contains("wrote " + project.resolve("pom.xml"))
                .contains("Next: cd " + project + " && mvn test");
        assertThat(files(project))
                .containsExactly(
                        ".gitignore",
                        "README.md",
                        "pom.xml",
                        "src/main/java/com/acme/Main.java",
                        "src/main/java/com/acme/RowNorms.java",
                        "src/main/java/com/acme/RowNormsOnHost.java",
                        "src/main/resources/logback.xml",
                        "src/test/java/com/acme/RowNormsTest.java",
                        "src/test/resources/logback-test.xml");
        Path classes = folder.resolve("classes");
        Sources.compile(project, classes);
        runTests(classes, "com.acme.RowNormsTest");
        assertThat(Cli.run("functions", "--classpath", classes + "").out())
                .containsPattern("com.acme.row-norms .* " + place + " .* com.acme.RowNormsOnHost +classes/\n");
    }

    /** Runs the tests of a class as JUnit would, with the class path of that build. */
    private static void runTests(Path classes, String name) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()}, NewFunctionTest.class.getClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            assertThat(RunTest.run(loader.loadClass(name))).isPositive();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    void theProjectHasTheVersionsOfThisBuild() throws Exception {
        Path project = folder.resolve("axpy");
        assertThat(Cli.run("new", "function", "Axpy", "--package", "acme", "--dir", project + "")
                        .exit())
                .isZero();

        Document pom = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(project.resolve("pom.xml").toFile());
        assertThat(pom.getElementsByTagName("psf.version").item(0).getTextContent())
                .matches("\\d+\\.\\d+\\.\\d+(-SNAPSHOT)?");
        assertThat(Files.readString(project.resolve("pom.xml")))
                .contains("<artifactId>psf-builtin</artifactId>", "<artifactId>psf-processor</artifactId>")
                .contains("<artifactId>axpy</artifactId>")
                .doesNotContain("{{")
                .doesNotContainPattern("<version>\\$\\{(?!psf\\.version})");
    }

    @Test
    void aProjectThatIsThereGetsTheSourcesAlone() throws Exception {
        String pom = "<project><dependencies>psf-builtin psf-processor psf-testkit</dependencies></project>";
        Files.writeString(folder.resolve("pom.xml"), pom);

        Cli.Said said = Cli.run("new", "function", "axpy", "--package", "acme", "--dir", folder + "");

        assertThat(said.exit()).as(said.err()).isZero();
        assertThat(folder.resolve("pom.xml")).hasContent(pom);
        assertThat(said.out()).contains("The pom.xml does not mention junit-jupiter: ");
        assertThat(files(folder)).contains("src/main/java/acme/Axpy.java");
    }

    @Test
    void aProjectWithoutSourcesGetsNone() throws Exception {
        Path checkout = Files.createDirectory(folder.resolve("checkout"));
        Files.writeString(checkout.resolve("pom.xml"), "<project><packaging> pom </packaging></project>");

        Cli.Said said = Cli.run("new", "function", "axpy", "--package", "acme", "--dir", checkout + "");

        assertThat(said.exit()).isEqualTo(2);
        assertThat(said.err())
                .contains("packaging pom, without sources")
                .as("how to get a project")
                .contains("of a new one: --dir " + folder.resolve("axpy"));
        assertThat(Cli.run("new", "function", "axpy", "--package", "acme", "--dir", folder.resolve("axpy") + "")
                        .out())
                .contains("wrote " + folder.resolve("axpy/pom.xml"))
                .contains(
                        "mvn install -Dmaven.test.skip -Dmaven.javadoc.skip -pl psf-builtin,psf-processor,psf-testkit -am in psf's checkout");
        assertThat(files(checkout)).containsExactly("pom.xml");
    }

    @Test
    void nothingIsOverwritten() throws Exception {
        Path theirs = folder.resolve("src/test/java/acme/AxpyTest.java");
        Files.createDirectories(theirs.getParent());
        Files.writeString(theirs, "mine");

        Cli.Said said = Cli.run("new", "function", "axpy", "--package", "acme", "--dir", folder + "");

        assertThat(said.exit()).isEqualTo(2);
        assertThat(said.err())
                .isEqualTo("psf: " + theirs + ": exists already (expected: a name that is free; nothing was written)");
        assertThat(theirs).hasContent("mine");
        assertThat(files(folder)).containsExactly("src/test/java/acme/AxpyTest.java");
    }

    @ParameterizedTest
    @CsvSource({
        "9lives, acme, shard, NAME: 9lives (expected: a letter",
        "a--b, acme, shard, NAME: a--b (expected: a letter",
        "../up, acme, shard, NAME: ../up (expected: a letter",
        "string, acme, shard, 'NAME: string (expected: another, since Java or psf has a class String)'",
        "shard, acme, shard, 'NAME: shard (expected: another, since Java or psf has a class Shard)'",
        "axpy, acme.new, shard, --package: acme.new (expected: a package in Java",
        "axpy, ../acme, shard, --package: ../acme (expected: a package in Java",
        "axpy, java.acme, shard, --package: java.acme (expected: one of your own",
        "axpy, psf, shard, --package: psf (expected: one of your own",
        "axpy, acme, moon, 'psf: --at: moon (expected: shard, server or scheduler)'"
    })
    void aNameThatIsNoneIsOneSentence(String name, String inPackage, String place, String sentence) throws Exception {
        Cli.Said said = Cli.run("new", "function", name, "--package", inPackage, "--dir", folder + "", "--at", place);

        assertThat(said.exit()).isEqualTo(2);
        assertThat(said.err()).contains(sentence).doesNotContain("\n");
        assertThat(files(folder)).isEmpty();
    }

    @Test
    void aProjectIsNamedLikeItsFolder() throws Exception {
        Path project = folder.resolve("click-model");
        assertThat(Cli.run("new", "function", "axpy", "--package", "acme", "--dir", project + "")
                        .exit())
                .isZero();

        assertThat(project.resolve("pom.xml")).content().contains("<artifactId>click-model</artifactId>");
        assertThat(project.resolve("README.md")).content().startsWith("# click-model\n");
    }

    @Test
    void aReadmeAndAGitignoreThatAreThereStay() throws Exception {
        Files.writeString(folder.resolve("README.md"), "mine");
        Files.writeString(folder.resolve(".gitignore"), "mine");

        Cli.Said said = Cli.run("new", "function", "axpy", "--package", "acme", "--dir", folder + "");

        assertThat(said.exit()).as(said.err()).isZero();
        assertThat(folder.resolve("README.md")).hasContent("mine");
        assertThat(folder.resolve(".gitignore")).hasContent("mine");
        assertThat(folder.resolve("pom.xml")).exists();
    }

    private static List<String> files(Path folder) throws Exception {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString().replace('\\', '/'))
                    .sorted()
                    .toList();
        }
    }
}
