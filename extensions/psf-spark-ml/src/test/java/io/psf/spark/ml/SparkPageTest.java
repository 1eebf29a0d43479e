package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles the Java of {@code docs/spark.md} as it stands. A block is the body of a method, with the imports of the
 * page's block of imports. A comment {@code <!-- given: .. -->} before it declares the fields and methods that the text
 * has introduced.
 */
class SparkPageTest {
    private static final Path PAGE = Path.of("../../docs/spark.md");
    private static final Pattern BLOCK = Pattern.compile(
            "(?:^<!-- given: ((?:(?!-->).)*) -->\\n)?^```java\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    @TempDir
    Path classes;

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Returns the blocks of a page as classes. */
    private static List<Source> sources(String page) {
        List<Source> sources = new ArrayList<>();
        String imports = "";
        Matcher block = BLOCK.matcher(page);
        while (block.find()) {
            String code = block.group(2);
            if (code.matches("(import .*\\n)+")) {
                imports += code;
                continue;
            }
            String name = "Block" + sources.size();
            sources.add(new Source(
                    name,
                    imports + "class " + name + " {\n" + (block.group(1) == null ? "" : block.group(1))
                            + "\nvoid run() throws Exception {\n" + code + "}}"));
        }
        return sources;
    }

    private List<String> errors(String page) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = List.of(
                "-cp",
                System.getProperty("java.class.path"),
                "-proc:none",
                "-Xlint:none",
                "--release",
                "17",
                "-d",
                classes.toString());
        compiler.getTask(null, null, found, options, null, sources(page)).call();
        return found.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each ->
                        each.getSource().getName() + ":" + each.getLineNumber() + ": " + each.getMessage(Locale.ROOT))
                .toList();
    }

    @Test
    void eachBlockCompilesAsItStands() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(page.lines().filter(line -> line.equals("```java")))
                .as("blocks, with that of the imports")
                .hasSize(sources(page).size() + 1)
                .hasSizeGreaterThan(3);
        assertThat(errors(page)).isEmpty();
    }

    @Test
    void aWrongBlockIsAnError() {
        assertThat(errors("```java\nint x = y;\n```\n"))
                .singleElement()
                .asString()
                .contains("cannot find symbol");
    }
}
