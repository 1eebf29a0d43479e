package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.Compiler;
import io.psf.processor.emit.Emitter;
import io.psf.processor.emit.JavaEmitter;
import io.psf.processor.emit.Output;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.ProviderModel;
import java.util.ArrayList;
import java.util.List;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;

/** A defect of the processor is an error at the element on which the processor failed. */
class DefectTest {
    /** Fails on {@code Axpy} and on every handler. */
    private static final class Failing implements Emitter {
        private final Emitter java = new JavaEmitter();
        private final List<String> generated = new ArrayList<>();

        @Override
        public void function(FunctionModel model, Output out) {
            if (model.type().simpleName().equals("Axpy")) {
                throw new IllegalStateException("no such layout");
            }
            java.function(model, out);
            generated.add(model.type().simpleName());
        }

        @Override
        public void skeleton(FunctionModel model, Output out) {
            java.skeleton(model, out);
        }

        @Override
        public void provider(ProviderModel model, Output out) {
            throw new IllegalStateException("no such handler");
        }
    }

    @Test
    void aDefectIsAnErrorAtTheFunctionAndTheOtherFunctionsAreGenerated() {
        Failing emitter = new Failing();
        Compilation compilation = compile(emitter, "Axpy.java", "Pull.java");
        assertThat(compilation.status()).isEqualTo(Compilation.Status.FAILURE);
        assertThat(compilation.errors()).hasSize(1);
        Diagnostic<? extends JavaFileObject> error = compilation.errors().get(0);
        assertThat(error.getSource().getName()).endsWith("Axpy.java");
        assertThat(error.getMessage(null))
                .startsWith("[PsfDefect] the annotation processor failed on good.Axpy (expected: ")
                .contains(
                        "java.lang.IllegalStateException: no such layout",
                        "at " + Failing.class.getName() + ".function(DefectTest.java:");
        assertThat(emitter.generated).containsExactly("Pull");
    }

    @Test
    void aDefectIsAnErrorAtTheHandler() {
        Compilation compilation = compile(new Failing(), "Pull.java", "Axpy.java", "AxpyOnHost.java");
        assertThat(compilation.errors().stream().map(error -> error.getMessage(null)))
                .anyMatch(text -> text.startsWith("[PsfDefect] the annotation processor failed on good.AxpyOnHost ")
                        && text.contains("no such handler"));
    }

    private static Compilation compile(Failing emitter, String... names) {
        return Compiler.javac()
                .withProcessors(new PsfProcessor(emitter))
                .withOptions("--should-stop=ifError=FLOW", "--release", "17")
                .compile(List.of(names).stream()
                        .map(name -> Fixtures.source(Fixtures.file("good", name)))
                        .toList());
    }
}
