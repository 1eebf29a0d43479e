package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.JavaFileObjects;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What servers find on their class path. */
class ServicesTest {
    private static final String FILE = "META-INF/services/io.psf.api.spi.HandlerProvider";
    private static final String SOURCE = """
            package acme;

            import io.psf.api.*;

            @PsFunction("acme.NAME")
            public interface NAME {
              record Request(TensorId tensor) {}
              record Response() {}
              default Response handle(Request slice, Shard shard) {
                return new Response();
              }
            }
            """;

    @TempDir
    private Path folder;

    @Test
    void everyHandlerAndEveryDefaultBodyIsNamedOnce() throws IOException {
        assertThat(Fixtures.good()
                        .generatedFile(StandardLocation.CLASS_OUTPUT, FILE)
                        .orElseThrow()
                        .getCharContent(false)
                        .toString())
                .isEqualTo("""
                        good.AxpyOnDevicePsfProvider
                        good.AxpyOnHostPsfProvider
                        good.CensusPsfProvider
                        good.Kinds_LaterPsfProvider
                        good.Kinds_OfAnyShardPsfProvider
                        good.Kinds_OfDevicePsfProvider
                        good.OnDevicePsfProvider
                        good.Outer_OnHostPsfProvider
                        good.PerSlicePsfProvider
                        good.PushPsfProvider
                        """);
    }

    @Test
    void withoutHandlersThereIsNoFile() {
        Compilation compilation = Fixtures.compile(Fixtures.source(Fixtures.file("good", "Axpy.java")));
        assertThat(compilation.generatedFile(StandardLocation.CLASS_OUTPUT, FILE))
                .isEmpty();
    }

    @Test
    void anIncrementalCompilationKeepsTheOthersAsLongAsTheyExist() throws IOException {
        compile("first");
        compile("second");
        assertThat(services()).containsExactly("acme.firstPsfProvider", "acme.secondPsfProvider");
        compile("second");
        assertThat(services()).containsExactly("acme.firstPsfProvider", "acme.secondPsfProvider");
        for (String each : List.of("firstPsfProvider.java", "firstPsfProvider.class")) {
            Files.delete(folder.resolve("acme").resolve(each));
        }
        compile("second");
        assertThat(services()).containsExactly("acme.secondPsfProvider");
    }

    @Test
    void aHandlerOfAFunctionInAnotherJarNeedsItsGeneratedClassAlone() throws IOException {
        compile("apart");
        JavaFileObject handler = JavaFileObjects.forSourceString("other.Handler", """
                package other;

                @io.psf.api.PsHandler
                public class Handler implements acme.apart {}
                """);
        compile(handler);
        assertThat(Files.readString(folder.resolve("other/HandlerPsfProvider.java")))
                .contains("import acme.apartPsf;")
                .contains("return apartPsf.bind(new Handler());");
    }

    private List<String> services() throws IOException {
        return Files.readAllLines(folder.resolve(FILE));
    }

    private void compile(String name) {
        compile(JavaFileObjects.forSourceString("acme." + name, SOURCE.replace("NAME", name)));
    }

    private void compile(JavaFileObject source) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        String path = System.getProperty("java.class.path") + File.pathSeparator + folder;
        JavaCompiler.CompilationTask task = compiler.getTask(
                null, null, null, List.of("-d", folder.toString(), "-cp", path, "-Xlint:none"), null, List.of(source));
        task.setProcessors(List.of(new PsfProcessor(), new NamedProcessor(), new ServicesProcessor()));
        assertThat(task.call()).isTrue();
    }
}
