package io.psf.acceptance;

import io.psf.acceptance.Page.Block;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The Java of the documents as sources. A block with a declaration is a file as it stands. Other blocks are each the
 * body of a method with a worker, after the variables that the page has introduced. The imports of both are their own,
 * or those of their page: a block of imports alone, before the other ones.
 */
final class Snippets {
    /** The class with a {@code main} that runs every method, each with the worker of a cluster of its own. */
    static final String MAIN = "docs.Runs";

    private static final Pattern IMPORTS = Pattern.compile("(?:import .*\\n|//.*\\n|\\n)+");
    private static final Pattern DECLARATION = Pattern.compile(
            "^(?:(?:public|final|abstract|sealed) )*(?:@?interface|class|record|enum) (\\w+)", Pattern.MULTILINE);
    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);$", Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile("^(import .*)$", Pattern.MULTILINE);

    private final Map<String, Source> sources = new LinkedHashMap<>();
    private final Map<String, Block> runs = new LinkedHashMap<>();
    private final Path classes;
    private final String classPath;

    /** A source that knows its place in the documents. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;
        private final String page;
        private final long shift;

        Source(String name, String text, String page, long shift) {
            super(URI.create("string:///" + name.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
            this.page = page;
            this.shift = shift;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }

        String place(long line) {
            return page + ":" + (line + shift);
        }
    }

    /** Creates an empty set of sources, which are compiled on a user's class path. */
    Snippets(Path classes) {
        this(classes, classPath());
    }

    Snippets(Path classes, String classPath) {
        this.classes = classes;
        this.classPath = classPath;
    }

    /** Adds the blocks of a page; returns the number of its sources. */
    int add(Path page) throws IOException {
        int before = sources.size();
        String imports = "";
        for (Block block : Page.blocks(page)) {
            String file = block.comment("file");
            if (!file.isEmpty()) {
                Files.createDirectories(
                        Objects.requireNonNull(classes.resolve(file).getParent()));
                Files.writeString(classes.resolve(file), block.text());
            } else if (block.language().equals("java")) {
                if (IMPORTS.matcher(block.text()).matches()) {
                    imports += block.text();
                } else {
                    add(block, imports);
                }
            }
        }
        return sources.size() - before;
    }

    private void add(Block block, String imports) {
        String name = "page"
                + ("/" + block.page())
                        .replaceAll("\\.md$|[^\\w/]", "")
                        .replaceAll("/+", ".")
                        .toLowerCase(Locale.ROOT);
        Matcher declared = DECLARATION.matcher(block.text());
        Matcher inPackage = PACKAGE.matcher(block.text());
        if (!declared.find()) {
            String run = name + ".Run" + runs.size();
            addSource(
                    run,
                    block,
                    "package " + name + ";\n" + imports
                            + IMPORT.matcher(block.text())
                                    .results()
                                    .map(each -> each.group() + "\n")
                                    .collect(Collectors.joining())
                            + "public final class Run" + runs.size()
                            + " {\npublic static void run(io.psf.runtime.Worker worker) throws Exception {\n"
                            + block.comment("given") + "\n",
                    // The numbers of the lines stay.
                    IMPORT.matcher(block.text()).replaceAll("// $1") + "}}");
            runs.put(run, block);
        } else if (inPackage.find()) {
            addSource(inPackage.group(1) + "." + declared.group(1), block, "", block.text());
        } else {
            addSource(name + "." + declared.group(1), block, "package " + name + ";\n" + imports, block.text());
        }
    }

    private void addSource(String name, Block block, String head, String text) {
        Source source = new Source(
                name,
                head + text,
                block.page(),
                block.line() - 1L - head.lines().count());
        if (sources.put(name, source) != null) {
            throw new IllegalStateException(block + ": " + name + " is declared twice");
        }
    }

    /** The blocks that are run, with the reason of those that are not. */
    List<Block> runs() {
        return runs.values().stream()
                .filter(block -> block.comment("compiled only").isEmpty())
                .toList();
    }

    /** Compiles all in one call with psf's processor; returns the errors, each with its place in the documents. */
    List<String> compile() throws IOException {
        Files.createDirectories(classes);
        sources.put(MAIN, new Source(MAIN, main(), MAIN, 0));
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK");
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = List.of(
                "-cp",
                classPath,
                "-processorpath",
                System.getProperty("java.class.path"),
                "-Xlint:none",
                "--release",
                "17",
                "-d",
                classes.toString());
        compiler.getTask(null, null, found, options, null, sources.values()).call();
        List<String> errors = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> each : found.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR) {
                String place = each.getSource() instanceof Source source
                        ? source.place(each.getLineNumber())
                        : String.valueOf(each.getSource());
                errors.add(place + ": " + each.getMessage(Locale.ROOT));
            }
        }
        return errors;
    }

    private static String workers(Block block) {
        String workers = block.comment("workers");
        return workers.isEmpty() ? "1" : workers;
    }

    private String main() {
        String calls = runs.entrySet().stream()
                .filter(run -> run.getValue().comment("compiled only").isEmpty())
                .map(run -> "        run(\"" + run.getValue() + "\", " + workers(run.getValue()) + ", " + run.getKey()
                        + "::run);\n")
                .collect(Collectors.joining());
        return """
                package docs;

                import io.psf.runtime.PsCluster;
                import io.psf.runtime.Worker;
                import java.nio.file.Path;

                public final class Runs {
                    interface Run {
                        void run(Worker worker) throws Exception;
                    }

                    private static int failed;

                    public static void main(String[] arguments) {
                CALLS
                        System.exit(failed);
                    }

                    private static void run(String place, int workers, Run run) {
                        System.out.println("=== " + place);
                        try (PsCluster cluster = PsCluster.builder().servers(2).workers(workers)
                                .checkpoints(Path.of("checkpoints", place.replaceAll("\\\\W", "-"))).start()) {
                            run.run(cluster.worker());
                        } catch (Throwable e) {
                            failed = 1;
                            System.out.println("FAILED " + place);
                            e.printStackTrace(System.out);
                        }
                    }
                }
                """.replace("CALLS\n", calls);
    }

    /** The class path of a user: psf without its commands and their log, the tests' functions and the examples'. */
    static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Stream.of("test-classes", "examples", "psf-cli", "logback")
                        .noneMatch(entry::contains))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
