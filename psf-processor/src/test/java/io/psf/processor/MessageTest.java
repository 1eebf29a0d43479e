package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.Compiler;
import com.google.testing.compile.JavaFileObjects;
import io.psf.processor.read.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What problems say, and what is none. */
class MessageTest {
    @Test
    void aProblemSaysWhatIsWrongWhatWasExpectedAndHowToMendIt() {
        assertThat(messages("SparsePull"))
                .containsExactly(
                        "[PsfAlongUnknown] @Along(\"row\") names no component of SparsePull.Request (expected: rows)."
                                + " Did you mean \"rows\"?",
                        "[PsfAlongNotKeys] @Along(\"ids\") names a component of SparsePull.Request that has no @ByKey"
                                + " (expected: rows). Put @ByKey on it.");
        assertThat(messages("NoTensor"))
                .containsExactly("[PsfTarget] NoTensor runs on shards, but its request names no tensor (expected: a"
                        + " component of type TensorId). Add one, or declare at = SERVER or SCHEDULER.");
        assertThat(messages("Names"))
                .contains(
                        "[PsfName] name \"Bad.Upper\" (expected: dotted lower case of 1 to 200 characters, for example"
                                + " \"acme.axpy\"). Did you mean \"bad.upper\"?");
        assertThat(messages("Merges"))
                .contains(
                        "[PsfMergeAndLayout] @ByRange on component values, while the interface has its own merge method"
                                + " (expected: one of the two). Remove the annotation; or write \"static Response"
                                + " finish(Request request, Response merged)\" instead of merge, which takes the"
                                + " response that the layouts have merged.",
                        "[PsfFinishSignature] finish: parameters Merges.Swapped.Response, Merges.Swapped.Request"
                                + " (expected: static Response finish(Request request, Response merged)). Change it, or rename the method.",
                        "[PsfMergeTwice] method finish of Both conflicts with merge (expected: one of"
                                + " merge(List<Response>), merge(Request, List<Response>) and finish(Request,"
                                + " Response)). Remove one of them.");
        assertThat(messages("Misplaced"))
                .contains(
                        "[PsfMisplaced] merge in Misplaced.InResponse.Response (expected: in InResponse, beside Request"
                                + " and Response: static Response merge(List<Response> slices)). Move it there.",
                        "[PsfMisplaced] handle in Misplaced.Handling.Request (expected: in Handling, beside Request and"
                                + " Response: Response handle(Request, Shard or an interface that extends it)"
                                + " at = SHARD). Move it there.");
        assertThat(messages("ShardKinds"))
                .contains("[PsfHandleSignature] handle: second parameter ShardKinds.ShardClass (expected: Response"
                        + " handle(Request, Shard or an interface that extends it) at = SHARD, or one that returns a"
                        + " CompletionStage<Response>).");
        assertThat(messages("Handlers"))
                .contains(
                        "[PsfHandlerFunction] function = Handlers.OnNodes on @PsHandler class OfOnNodes: a function"
                                + " at = SERVER (expected: a function at = SHARD, and a class that implements no"
                                + " function). Remove it, or name another.",
                        "[PsfHandlerFunction] function = Handlers.One on @PsHandler class OfOneTwice: the class"
                                + " implements One (expected: a function at = SHARD, and a class that implements no"
                                + " function). Remove it, or name another.");
        assertThat(messages("Answers"))
                .contains("[PsfResponseLayout] component values of the response does not define how the answers of"
                        + " several slices are merged (expected: @ByRange, @Along(\"keys\"), or @Reduce(SUM), MIN or"
                        + " MAX). Choose one, or write \"static Response merge(List<Response> slices)\".");
    }

    @Test
    void tenMistakesAreTenErrorsEachOnItsOwnLine() {
        Compilation compilation = Fixtures.compile(Fixtures.source(Fixtures.file("bad", "TenMistakes.java")));
        assertThat(compilation.diagnostics()).hasSize(10);
        assertThat(compilation.errors()).hasSize(10);
        assertThat(compilation.errors().stream().map(Diagnostic::getLineNumber)).doesNotHaveDuplicates();
        assertThat(compilation.errors().stream().map(error -> id(error.getMessage(null))))
                .doesNotHaveDuplicates()
                .allMatch(id -> id.startsWith("Psf"));
    }

    private static String id(String message) {
        return message.substring(1, message.indexOf(']'));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "@Reduce(SUMM) boolean any",
                "@Reduce boolean any",
                "@Along double[] rows",
                "@Along(KEYS) FloatArray rows",
                "@Ragged FloatArray rows",
                "@ByRange(width = WIDE) FloatArray rows",
                "@Since(LATER) @Reduce(Reduction.SUM) int n",
                "@Since @Reduce(Reduction.SUM) int n",
            })
    void aValueThatTheCompilerDoesNotKnowIsItsErrorAlone(String component) {
        String source = function("int")
                .replace(
                        "import io.psf.api.*;",
                        "import io.psf.api.*; import io.psf.api.array.*;" + " import io.psf.api.layout.*;")
                .replace("Response()", "Response(" + component + ")")
                .replace("null", "1");
        Compilation compilation = Fixtures.compile(JavaFileObjects.forSourceString("acme.F", source));
        assertThat(compilation.errors()).isNotEmpty();
        assertThat(compilation.diagnostics())
                .noneMatch(each -> each.getMessage(null).contains("[Psf"));
    }

    @Test
    void idsAreUniqueAndBeginWithPsf() {
        List<String> ids = Arrays.stream(Message.values()).map(Message::id).toList();
        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.matches("Psf[A-Z][A-Za-z]+"));
    }

    @Test
    void aTypeThatDoesNotExistIsTheCompilersErrorAlone() {
        Compilation compilation = Fixtures.compile(JavaFileObjects.forSourceString("acme.F", function("Missing")));
        assertThat(compilation.errors()).hasSize(1);
        assertThat(compilation.errors().get(0).getMessage(null)).contains("cannot find symbol");
    }

    @Test
    void aTypeInASignatureThatDoesNotExistIsTheCompilersErrorAlone() {
        String source =
                function("int").replace("Response handle", "Respons handle").replace("null", "1");
        Compilation compilation = Fixtures.compile(JavaFileObjects.forSourceString("acme.F", source));
        assertThat(compilation.errors()).hasSize(1);
        assertThat(compilation.errors().get(0).getMessage(null)).contains("cannot find symbol");
    }

    @Test
    void aTypeThatAnotherProcessorMakesIsWaitedFor() {
        Compilation compilation = Compiler.javac()
                .withProcessors(new PsfProcessor(), new NamedProcessor(), new ServicesProcessor(), new MakesAnEnum())
                .compile(JavaFileObjects.forSourceString("acme.F", function("Made")));
        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generatedSourceFile("acme.FPsf")).isPresent();
    }

    private static String function(String type) {
        return "package acme; import io.psf.api.*; @PsFunction(\"acme.f\") public interface F {"
                + " record Request(TensorId tensor, " + type + " mode) {} record Response() {}"
                + " Response handle(Request slice, Shard shard);"
                + " default Object use(FPsf.Stub stub, TensorId tensor) { return stub.call(tensor, null).await(); } }";
    }

    private static List<String> messages(String fixture) {
        return Fixtures.compile(Fixtures.source(Fixtures.file("bad", fixture + ".java"))).errors().stream()
                .map(error -> error.getMessage(null))
                .toList();
    }

    /** Another processor of the same compilation. */
    private static final class MakesAnEnum extends AbstractProcessor {
        private boolean made;

        @Override
        public Set<String> getSupportedAnnotationTypes() {
            return Set.of("*");
        }

        @Override
        public SourceVersion getSupportedSourceVersion() {
            return SourceVersion.latestSupported();
        }

        @Override
        public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
            if (!made) {
                made = true;
                try (Writer out =
                        processingEnv.getFiler().createSourceFile("acme.Made").openWriter()) {
                    out.write("package acme; public enum Made { A, B }");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return false;
        }
    }
}
