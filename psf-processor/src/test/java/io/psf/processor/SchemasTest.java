package io.psf.processor;

import static com.google.testing.compile.Compiler.javac;
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
    void anEmptyOptionDoesNotSwitchTheCheckOff() {
        Compilation compilation = javac().withProcessors(new PsfProcessor())
                .withOptions("-Apsf.schemas=")
                .compile(Fixtures.source(Fixtures.file("good", "Axpy.java")));
        assertThat(compilation.errors())
                .singleElement()
                .asString()
                .contains("-Apsf.schemas: empty (expected: the folder");
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
                        + " committed in acme.f.schema (expected: as peers of that version know it). Restore it, and"
                        + " append additions with @Since(3); -Apsf.schemas.update=true drops support for those"
                        + " peers.");
        assertThat(errors(false, "@Since(2) long y"))
                .singleElement()
                .asString()
                .contains("component x of the request was removed");
        assertThat(errors(false, "int x"))
                .singleElement()
                .asString()
                .contains("component y of the request was removed");
        assertThat(committed()).containsExactly(ONE, TWO);
        assertThat(errors(true, "int x, @Since(2) double y")).isEmpty();
    }

    @Test
    void componentsThatChangePlacesAreAnErrorThatNamesThem() {
        errors(false, "int x, @Since(2) long y, @Since(2) int z");
        assertThat(errors(false, "int x, @Since(2) int z, @Since(2) long y"))
                .singleElement()
                .asString()
                .contains("components of the request changed their order, were tensor, x, y, z in version 2");
    }

    @Test
    void aFunctionThatIsRenamedOrDeletedIsAnErrorUntilItsFileIsDeleted() throws Exception {
        assertThat(declare("A.java", "acme.a", "acme.b")).isEmpty();
        assertThat(Files.readString(schema("acme.b"))).startsWith("# ../java/A.java\n");

        assertThat(declare("A.java", "acme.a", "acme.renamed"))
                .containsExactly("[PsfSchemaGone] function acme.b is not declared any more, in ../java/A.java, but"
                        + " acme.b.schema is committed (expected: every function whose schema is committed)."
                        + " Restore its name, or list the old name in \"formerly\"; or delete the file, which"
                        + " drops support for its peers.");
        assertThat(declare("A.java", "acme.a")).hasSize(2);
        Files.delete(schema("acme.renamed"));
        Files.delete(schema("acme.b"));
        assertThat(declare("A.java", "acme.a")).isEmpty();

        Files.delete(java("A.java"));
        assertThat(declare("C.java", "acme.c"))
                .singleElement()
                .asString()
                .contains("function acme.a is not declared any more, in ../java/A.java");
        assertThat(declare(true, "C.java", "acme.c")).isEmpty();
        assertThat(schema("acme.a")).doesNotExist();
        assertThat(schema("acme.c")).exists();
    }

    @Test
    void aFunctionThatIsRenamedKeepsTheSchemaOfItsFormerName() throws Exception {
        assertThat(declare("A.java", "acme.a")).isEmpty();
        assertThat(rename("acme.z", "formerly = \"acme.a\"", "")).isEmpty();
        assertThat(schema("acme.a")).exists();
        assertThat(schema("acme.z")).doesNotExist();
        assertThat(rename("acme.z", "formerly = {\"acme.b\", \"acme.a\"}", ", int broken"))
                .containsExactly("[PsfSchemaBroken] component broken of the request was added in version 1, which is"
                        + " committed in acme.a.schema (expected: as peers of that version know it). Restore it, and"
                        + " append additions with @Since(2); -Apsf.schemas.update=true drops support for those"
                        + " peers.");
        assertThat(rename("acme.z", "readOnly = false", ""))
                .singleElement()
                .asString()
                .contains("function acme.a is not declared any more");
        Files.delete(schema("acme.z"));

        assertThat(rename(true, "acme.z", "formerly = \"acme.a\"", ", @Since(2) int more"))
                .isEmpty();
        assertThat(schema("acme.a")).doesNotExist();
        assertThat(Files.readAllLines(schema("acme.z")))
                .containsExactly(
                        "# ../java/A.java",
                        "acme.z at SHARD (tensor:tensor) -> ()",
                        "acme.z at SHARD (tensor:tensor, more:i32) -> ()");
        assertThat(rename("acme.z", "formerly = \"acme.a\"", ", @Since(2) int more"))
                .isEmpty();
    }

    private List<String> rename(String name, String values, String components) throws Exception {
        return rename(false, name, values, components);
    }

    /** Compiles a function of another name in the place of {@code acme.a}. */
    private List<String> rename(boolean update, String name, String values, String components) throws Exception {
        String source = "package acme; import io.psf.api.*; interface Outer {"
                + " @PsFunction(value = \"" + name + "\", " + values + ") interface Fa {"
                + " record Request(TensorId tensor" + components + ") {} record Response() {}"
                + " Response handle(Request slice, Shard shard); } }";
        return compile(update, java("A.java"), source);
    }

    @Test
    void constantsAreAppendedAsComponentsAre() throws Exception {
        assertThat(constants(false, "A, B")).isEmpty();
        assertThat(constants(false, "A, B, @Since(2) C"))
                .singleElement()
                .asString()
                .contains("[PsfSchemaGrown] version 2 of acme.e is not in acme.e.schema");
        assertThat(constants(true, "A, B, @Since(2) C")).isEmpty();
        assertThat(Files.readAllLines(schema("acme.e")))
                .containsExactly(
                        "# ../java/E.java",
                        "acme.e at SHARD (tensor:tensor, mode:enum(A|B)) -> ()",
                        "acme.e at SHARD (tensor:tensor, mode:enum(A|B|C)) -> ()");
        assertThat(constants(false, "A, @Unknown B, @Since(2) C"))
                .as("a mark that peers do not see")
                .isEmpty();
        for (String broken : List.of(
                "A, B, C", "A, B, C, @Since(2) D", "A, @Since(2) B", "B, A, @Since(2) C", "A, B, @Since(2) D")) {
            assertThat(constants(false, broken))
                    .as(broken)
                    .singleElement()
                    .asString()
                    .contains("[PsfSchemaBroken] component mode of the request is enum(");
        }
        assertThat(constants(false, "A, B")).singleElement().asString().contains("[PsfSchemaBroken] component mode");
    }

    private List<String> constants(boolean update, String constants) throws Exception {
        String source = "package acme; import io.psf.api.*; @PsFunction(\"acme.e\") interface Outer {"
                + " enum Mode { " + constants + " }"
                + " record Request(TensorId tensor, Mode mode) {} record Response() {}"
                + " Response handle(Request slice, Shard shard); }";
        return compile(update, java("E.java"), source);
    }

    @Test
    void sourcesThatAreNotCompiledNowKeepTheirFunctions() throws Exception {
        assertThat(declare("A.java", "acme.a")).isEmpty();
        assertThat(declare("test/T.java", "acme.t")).isEmpty();
        assertThat(declare("A.java", "acme.a")).isEmpty();
        assertThat(schema("acme.t")).exists();

        assertThat(declare("moved/M.java", "acme.a")).isEmpty();
        Files.delete(java("A.java"));
        assertThat(declare("test/T.java", "acme.t")).isEmpty();
        assertThat(Files.readString(schema("acme.a"))).startsWith("# ../java/moved/M.java\n");
    }

    private Path schema(String function) {
        return folder.resolve("schemas").resolve(function + ".schema");
    }

    private Path java(String file) {
        return folder.resolve("java").resolve(file);
    }

    private List<String> declare(String file, String... functions) throws Exception {
        return declare(false, file, functions);
    }

    /** Compiles a source alone that declares functions. */
    private List<String> declare(boolean update, String file, String... functions) throws Exception {
        StringBuilder source = new StringBuilder("package acme; import io.psf.api.*; interface Outer {");
        for (String each : functions) {
            source.append(" @PsFunction(\"" + each + "\") interface " + each.replace("acme.", "F") + " {"
                    + " record Request(TensorId tensor) {} record Response() {}"
                    + " Response handle(Request slice, Shard shard); }");
        }
        source.append("}");
        return compile(update, java(file), source.toString());
    }

    private List<String> compile(boolean update, Path path, String source) throws Exception {
        Files.createDirectories(path.getParent());
        Files.writeString(path, source);
        return Fixtures.compileWith(folder.resolve("schemas"), update, Fixtures.at(path, "acme.Outer", source))
                .errors()
                .stream()
                .map(error -> error.getMessage(null))
                .toList();
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
