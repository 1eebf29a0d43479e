package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
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

    /** Compiles a function with this processor path, and returns the compiler's lines. */
    private String compile(String processorPath) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-d",
                    folder.toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-processorpath",
                    processorPath,
                    "-processor",
                    String.join(
                            ",",
                            PsfProcessor.class.getName(),
                            NamedProcessor.class.getName(),
                            ServicesProcessor.class.getName()),
                    "-Xlint:none");
            List<JavaFileObject> sources =
                    List.of(com.google.testing.compile.JavaFileObjects.forSourceString("acme.Sum", SOURCE));
            var unused =
                    compiler.getTask(said, files, null, options, null, sources).call();
        }
        return said.toString();
    }
}
