package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.JavaFileObjects;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is committed of a schema, and what becomes of it. */
class SchemasTest {
    private static final String ONE = "acme.f at SHARD (tensor:tensor, x:i32) -> ()";
    private static final String TWO = "acme.f at SHARD (tensor:tensor, x:i32, y:i64) -> ()";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void aFunctionWithoutAFileGetsOneWithALineAVersion() throws Exception {
        assertThat(errors(false, "int x")).isEmpty();
        assertThat(committed()).containsExactly(ONE);
        assertThat(errors(false, "int x")).isEmpty();
    }

    @Test
    void aVersionThatIsNotCommittedIsAnErrorUntilItIs() throws Exception {
        errors(false, "int x");
        assertThat(errors(false, "int x, @Since(2) long y"))
                .containsExactly("[PsfSchemaGrown] version 2 of acme.f is not in acme.f.schema (expected: every version"
                        + " committed). Compile with -Apsf.schemas.update=true, and commit the file.");
        assertThat(committed()).containsExactly(ONE);
        assertThat(errors(true, "int x, @Since(2) long y")).isEmpty();
        assertThat(committed()).containsExactly(ONE, TWO);
        assertThat(errors(false, "int x, @Since(2) long y")).isEmpty();
    }

    @Test
    void aChangeThatPeersDoNotKnowIsAnErrorThatNamesTheComponent() throws Exception {
        errors(false, "int x, @Since(2) long y");
        assertThat(errors(false, "int x, @Since(2) double y"))
                .containsExactly("[PsfSchemaBroken] component y of the request is f64, was i64 in version 2, which is"
                        + " committed in acme.f.schema (expected: as peers of that version know it). Put it back, and"
                        + " append what is new with @Since(3); -Apsf.schemas.update=true gives those peers up.");
        assertThat(errors(false, "@Since(2) long y"))
                .singleElement()
                .asString()
                .contains("component x of the request is gone");
        assertThat(errors(false, "int x")).singleElement().asString().contains("component y of the request is gone");
        assertThat(committed()).containsExactly(ONE, TWO);
        assertThat(errors(true, "int x, @Since(2) double y")).isEmpty();
    }

    @Test
    void componentsThatChangePlacesAreAnErrorThatNamesThem() {
        errors(false, "int x, @Since(2) long y, @Since(2) int z");
        assertThat(errors(false, "int x, @Since(2) int z, @Since(2) long y"))
                .singleElement()
                .asString()
                .contains("components of the request changed places, were tensor, x, y, z in version 2");
    }

    private List<String> committed() throws Exception {
        return Files.readAllLines(folder.resolve("acme.f.schema"));
    }

    private List<String> errors(boolean update, String components) {
        String source = "package acme; import io.psf.api.*; @PsFunction(\"acme.f\") public interface F {"
                + " record Request(TensorId tensor, " + components + ") {} record Response() {}"
                + " Response handle(Request slice, Shard shard); }";
        Compilation compilation =
                Fixtures.compileWith(folder, update, JavaFileObjects.forSourceString("acme.F", source));
        return compilation.errors().stream()
                .map(error -> error.getMessage(null))
                .toList();
    }
}
