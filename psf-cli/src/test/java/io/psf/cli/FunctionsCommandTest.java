package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.runtime.PsCluster;
import java.io.File;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

@Timeout(120)
class FunctionsCommandTest {
    private static final String FUNCTION = """
            package acme;

            @io.psf.api.PsFunction(value = "acme.census", at = io.psf.api.Place.SCHEDULER, readOnly = true)
            public interface Census {
                record Request(@io.psf.api.Since(2) int depth) {}

                record Response(int nodes) {}

                Response handle(Request request, io.psf.api.Node node);
            }
            """;
    private static final String BODY = FUNCTION.replace("    Response handle", "    default Response handle")
            .replace("node);", "node) { return new Response(1); }");

    @TempDir
    private Path folder;

    @Test
    void theBuiltinFunctionsAreListedByNameInColumns() {
        Cli.Said said = Cli.run("functions");

        assertThat(said.exit()).as(said.err()).isZero();
        List<String> lines = said.out().lines().toList();
        String title = lines.get(0);
        assertThat(title).matches("NAME +ID +VERSION +FINGERPRINT +PLACE +READ-ONLY +HANDLER +FROM");
        List<String> names =
                lines.stream().skip(1).map(line -> line.replaceFirst(" .*", "")).toList();
        assertThat(names).contains("psf.dense.pull", "psf.init").isSorted();
        assertThat(lines).allSatisfy(line -> {
            for (String column : List.of("ID", "PLACE", "HANDLER", "FROM")) {
                int at = title.indexOf(column.equals("ID") ? "ID " : column);
                assertThat(line.substring(at - 2, at)).as(line).isEqualTo("  ");
                assertThat(line.charAt(at)).as(line).isNotEqualTo(' ');
            }
        });
        assertThat(said.out())
                .containsPattern(String.format(
                        Locale.ROOT,
                        "psf\\.dense\\.pull +0x%08x +1 +0x%08x +shard +yes +%s",
                        DensePullPsf.ID,
                        DensePullPsf.FUNCTION.info().fingerprint(),
                        "io\\.psf\\.builtin\\.dense\\.DensePull \\(default body\\) +\\S+"));
    }

    @Test
    void aFunctionOfAJarIsListedWithItsSchemas() throws IOException {
        Path jar = jar("app", Map.of("Census", BODY));

        Cli.Said said = Cli.run("functions", "--classpath", folder + File.separator + "*", "--schema");

        assertThat(said.out())
                .containsPattern("acme\\.census +0x[0-9a-f]{8} +2 +0x[0-9a-f]{8} +scheduler +yes"
                        + " +acme\\.Census \\(default body\\) +app\\.jar\n"
                        + "    version 1: acme\\.census at SCHEDULER .*\n"
                        + "    version 2: acme\\.census at SCHEDULER .*depth.*\n");
        assertThat(Cli.run("functions", "--classpath", jar + "", "--long").out())
                .containsPattern("acme\\.census .* \\Q" + jar + "\\E\n");
    }

    @Test
    void aHandlerReplacesTheDefaultBodyAndAFunctionWithoutHandlerIsNotListed() throws IOException {
        Path bare = jar("bare", Map.of("Census", FUNCTION));
        Path both = jar("both", Map.of("Census", BODY, "Better", handler("Better")));

        assertThat(Cli.run("functions", "--classpath", bare + "").out()).doesNotContain("acme.census");
        assertThat(Cli.run("functions", "--classpath", both + "").out())
                .containsPattern("acme\\.census .* acme\\.Better +both\\.jar\n");
    }

    @Test
    void twoHandlersOfAFunctionAreNamedWithTheirJars() throws IOException {
        Path one = jar("one", Map.of("Census", FUNCTION, "First", handler("First")));
        Path two = jar("two", Map.of("Census", FUNCTION, "Second", handler("Second")));

        Cli.Said said = Cli.run("functions", "--classpath", one + File.pathSeparator + two);

        assertThat(said.exit()).isEqualTo(2);
        assertThat(said.err())
                .isEqualTo("psf: handlers of \"acme.census\": acme.First in one.jar and acme.Second in two.jar,"
                        + " both of preference 0 (expected: one, or different preferences)");
    }

    @Test
    void handlersThatArePassedOverStandBelowWithTheReason() throws IOException {
        String device = handler("Device")
                .replace("@io.psf.api.PsHandler", "@io.psf.api.PsHandler(preference = 5)")
                .replace(
                        "implements Census {",
                        "implements Census, io.psf.api.Available { @Override public java.util.Optional<String>"
                                + " unavailable() { return java.util.Optional.of(\"no device\"); }");
        Path jar = jar("all", Map.of("Census", BODY, "Better", handler("Better"), "Device", device));

        assertThat(census(jar))
                .satisfiesExactly(
                        line -> assertThat(line).matches("acme\\.census .* acme\\.Better +all\\.jar"),
                        line -> assertThat(line).isEqualTo("    passed over: acme.Device, all.jar: no device"),
                        line -> assertThat(line).isEqualTo("    passed over: acme.Census, all.jar: a default body"));
    }

    @Test
    void aHandlerWhoseLibraryIsMissingIsPassedOver() throws IOException {
        String needy = handler("Needy").replace("implements Census {", """
                implements Census {
                    private final Library library = new Library();
                """);
        Path jar = jar("needy", Map.of("Census", BODY, "Needy", needy, "Library", "package acme; class Library {}"));
        Files.delete(folder.resolve("needy/classes/acme/Library.class"));
        Sources.jar(folder.resolve("needy/classes"), jar);

        assertThat(census(jar))
                .satisfiesExactly(
                        line -> assertThat(line).contains("acme.Census (default body)"),
                        line -> assertThat(line)
                                .isEqualTo("    passed over: acme.Needy, needy.jar: cannot be loaded,"
                                        + " java.lang.NoClassDefFoundError: acme/Library"));
    }

    @Test
    void theNamesThatAFunctionHadBeforeStandBelowAndAreItsOwn() throws IOException {
        String renamed = BODY.replace(
                        "\"acme.census\"", "\"acme.people\", formerly = {\"acme.census\", \"acme.heads\"}")
                .replace("interface Census", "interface People");
        Path now = jar("now", Map.of("People", renamed));
        Path before = jar("before", Map.of("Census", BODY));

        assertThat(Cli.run("functions", "--classpath", now + "").out())
                .containsPattern("acme\\.people .* now\\.jar\n    formerly: acme\\.census, acme\\.heads\n");
        Cli.Said both = Cli.run("functions", "--classpath", now + File.pathSeparator + before);
        assertThat(both.exit()).isEqualTo(2);
        assertThat(both.err())
                .contains("\"acme.people\" (formerly \"acme.census\", \"acme.heads\")")
                .contains("\"acme.census\"")
                .endsWith(": the same number on the wire, a hash of the name (expected: different numbers; rename"
                        + " one of them)");
    }

    @Test
    void aServerLogsTheChoiceOnce() throws IOException {
        Path jar = jar("logged", Map.of("Census", BODY, "Better", handler("Better")));
        Logger logger = (Logger) LoggerFactory.getLogger("io.psf.runtime.internal.server.handler.Handlers");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = ClassPathOption.loader(jar + "")) {
            Thread.currentThread().setContextClassLoader(loader);
            PsCluster.embedded(1).close();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .filteredOn(event -> event.getFormattedMessage().contains("acme.census"))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getLevel()).isEqualTo(Level.INFO);
                    assertThat(event.getFormattedMessage())
                            .isEqualTo("handler of acme.census: acme.Better; passed over: acme.Census in logged.jar"
                                    + " (a default body)");
                });
    }

    /** The lines of a function of a jar. */
    private static List<String> census(Path jar) {
        return Cli.run("functions", "--classpath", jar + "")
                .out()
                .lines()
                .dropWhile(line -> !line.startsWith("acme.census"))
                .takeWhile(line -> line.startsWith("acme.census") || line.startsWith(" "))
                .toList();
    }

    @Test
    void aJarThatIsNotThereIsNamed() {
        Cli.Said said = Cli.run("functions", "--classpath", "no.jar");

        assertThat(said.exit()).isEqualTo(2);
        assertThat(said.err()).isEqualTo("psf: --classpath: no.jar: no such file (expected: jars and folders)");
    }

    private static String handler(String name) {
        return """
                package acme;

                @io.psf.api.PsHandler
                public final class %s implements Census {
                    @Override
                    public Response handle(Request request, io.psf.api.Node node) {
                        return new Response(2);
                    }
                }
                """.formatted(name);
    }

    private Path jar(String name, Map<String, String> sources) throws IOException {
        Path work = folder.resolve(name);
        Files.createDirectories(work.resolve("src"));
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Files.writeString(work.resolve("src").resolve(source.getKey() + ".java"), source.getValue());
        }
        Sources.compile(work.resolve("src"), work.resolve("classes"));
        Path jar = folder.resolve(name + ".jar");
        Sources.jar(work.resolve("classes"), jar);
        return jar;
    }
}
