package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.JavaFileObjects;
import io.psf.acceptance.Python;
import io.psf.runtime.internal.cluster.Json;
import java.io.IOException;
import java.net.MalformedURLException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Functions in Python: those drawn from seeds have the same bytes as in Java, and the processor writes the typed
 * functions that Python writes from schemas.
 */
@Timeout(120)
final class PythonFunctionsTest {
    private static final int FUNCTIONS = 10 * Integer.getInteger("psf.laws.times", 1);
    private static final int FIRST = Integer.getInteger("psf.laws.seed", 0);
    private static final List<Integer> SLICES = List.of(1, 2, 3, 7, 10);

    @TempDir
    Path folder;

    private static List<RandomFunction> drawn() {
        return IntStream.range(FIRST, FIRST + FUNCTIONS)
                .mapToObj(FunctionDraw::draw)
                .toList();
    }

    @Test
    void theBytesOfFunctionsDrawnFromSeedsAreJavas() throws IOException {
        String python = Python.with("numpy");
        List<RandomFunction> drawn = drawn();
        List<List<Version>> versions = RandomFunctionsTest.compile(drawn);
        List<Object> cases = new ArrayList<>();
        for (int i = 0; i < drawn.size(); i++) {
            for (int slices : SLICES) {
                Random random = new Random(31L * drawn.get(i).seed() + slices);
                RandomCall call = new RandomCall(
                        versions.get(i), RandomFunctionsTest.layout(drawn.get(i), slices, random), random);
                for (Version caller : versions.get(i)) {
                    cases.add(new PythonCase(call, caller, versions.get(i), random).json());
                }
            }
        }
        Path file = Files.writeString(folder.resolve("functions.json"), Json.text(Map.of("cases", cases)));
        assertThat(Python.run(python, Map.of(), "-m", "tests.functions", file.toString()))
                .isEqualTo(cases.size() + " calls\n");
    }

    @Test
    void typedFunctionsOfTheProcessorAreThoseOfSchemas() throws IOException {
        String python = Python.with("numpy");
        List<JavaFileObject> sources = new ArrayList<>(in(Path.of("../../psf-builtin/src/main/java")));
        sources.addAll(in(Path.of("../../psf-processor/src/test/resources/good")));
        drawn().forEach(each ->
                sources.add(JavaFileObjects.forSourceString(each.qualified(), each.source(each.last()))));
        Path schemas = folder.resolve("schemas");
        Path written = folder.resolve("processor");
        Compilation compilation = Fixtures.compile(
                List.of("-proc:only", "-Apsf.schemas=" + schemas, "-Apsf.python=" + written),
                sources.toArray(JavaFileObject[]::new));
        assertThat(compilation.errors()).isEmpty();

        List<String> command = new ArrayList<>(
                List.of("-m", "psf.stubs", folder.resolve("python").toString()));
        try (Stream<Path> files = Files.list(schemas)) {
            files.map(Path::toString).forEach(command::add);
        }
        Python.run(python, Map.of(), command.toArray(String[]::new));
        Map<String, String> modules = texts(written);
        assertThat(modules)
                .containsKeys("psf_functions/dense_push.py", "psf_functions/__init__.py", "law/s" + FIRST + ".py");
        assertThat(modules).containsExactlyEntriesOf(texts(folder.resolve("python")));
    }

    private static List<JavaFileObject> in(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(PythonFunctionsTest::source)
                    .toList();
        }
    }

    private static JavaFileObject source(Path file) {
        try {
            return JavaFileObjects.forResource(file.toUri().toURL());
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Map<String, String> texts(Path folder) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                texts.put(folder.relativize(file).toString(), Files.readString(file));
            }
        }
        return texts;
    }
}
