package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A processor path that is put together by hand may lack what the processor needs. */
class ProcessorPathTest {
    private static final String SOURCE = """
            package acme;

            @io.psf.api.PsFunction(value = "acme.sum", at = io.psf.api.Place.SERVER)
            public interface Sum {
                record Request(long x) {}

                record Response(@io.psf.api.layout.Reduce(io.psf.api.layout.Reduction.SUM) long sum) {}

                Response handle(Request request, io.psf.api.Node node);
            }
            """;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"javapoet, com.palantir.javapoet:javapoet", "psf-api, io.psf:psf-api"})
    void whatIsMissingIsOneSentence(String without, String artifact) throws Exception {
        String said = compile(withoutEntry(without));
        assertThat(said)
                .contains("[PsfProcessorPath] processor path: without " + artifact
                        + " (expected: psf-processor with its dependencies, as Maven's annotationProcessorPaths and"
                        + " Gradle's annotationProcessor bring them)")
                .doesNotContain("\tat ", "Exception", "NoClassDefFoundError")
                .containsOnlyOnce("PsfProcessorPath");
    }

    @Test
    void aCompletePathCompiles() throws Exception {
        assertThat(compile(System.getProperty("java.class.path"))).isEmpty();
    }

    private static String withoutEntry(String name) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains(name))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Compiles a function with this processor path, and returns the compiler's lines. The compiler is a process of its
     * own: in this one its class loader has the class path of the tests as its parent.
     */
    private String compile(String processorPath) throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("Sum.java"), SOURCE);
        Process compiler = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "javac").toString(),
                        "-J-XX:TieredStopAtLevel=1", // it lives for seconds
                        "-J-XX:+UseSerialGC",
                        "-d",
                        folder.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-processorpath",
                        processorPath,
                        "-processor",
                        Stream.of(PsfProcessor.class, NamedProcessor.class, ServicesProcessor.class)
                                .map(Class::getName)
                                .collect(Collectors.joining(",")),
                        "-Xlint:none",
                        source.toString())
                .redirectErrorStream(true)
                .start();
        try {
            String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            compiler.waitFor();
            return said;
        } finally {
            compiler.destroyForcibly();
        }
    }
}
