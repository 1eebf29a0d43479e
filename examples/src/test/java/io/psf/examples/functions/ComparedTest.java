package io.psf.examples.functions;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsFunction;
import io.psf.api.spi.HandlerProvider;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/compared.md} counts what is there; {@code -Dcompared.update=true} counts anew. */
class ComparedTest {
    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/compared.md");
    private static final String SOURCES = "examples/src/main/java/io/psf/examples/functions/";
    private static final String BUILTINS = "psf-builtin/src/main/java/io/psf/builtin/";
    private static final int MOST = 15;

    /** Angel's lines and files. */
    private static final Map<String, String> ANGEL = Map.of(
            "Sum", "102 | 5", "IncrementRows", "151 | 3", "SampleNeighbor", "174 | 5", "AsyncAdagrad", "119 | 4");

    private static final List<String> FUNCTIONS = List.of(
            "Sum",
            "IncrementRows",
            "SampleNeighbor",
            "AsyncAdagrad",
            "LoadNeighbors",
            "TopRows",
            "Histogram",
            "RowNorms",
            "AddAndFetch");

    /** What Hetu's functions are here. */
    private static final Map<String, String> HETU = new LinkedHashMap<>();

    static {
        HETU.put("ParamInit", "tensor/InitTensor");
        HETU.put("ParamClear", "tensor/Clear");
        HETU.put("ParamSave", "internal/checkpoint/FreezeModel");
        HETU.put("ParamLoad", "internal/checkpoint/ReadModel");
        HETU.put("DensePush", "dense/DensePush");
        HETU.put("DensePull", "dense/DensePull");
        HETU.put("DDPushPull", "dense/DensePushPull");
        HETU.put("SparsePush", "sparse/SparsePush");
        HETU.put("SparsePull", "sparse/SparsePull");
        HETU.put("SDPushPull", "sparse/SparsePushDensePull");
        HETU.put("SSPushPull", "sparse/SparsePushPull");
        HETU.put("SyncEmbedding", "cache/SyncEmbedding");
        HETU.put("PushEmbedding", "cache/PushEmbedding");
        HETU.put("PushSyncEmbedding", "cache/PushSyncEmbedding");
        HETU.put("SSPInit", "internal/ssp/SspInit");
        HETU.put("SSPSync", "internal/ssp/SspSync");
        HETU.put("PReduceGetPartner", "internal/partial/PartialReducePartners");
    }

    /** The function's lines of code: up to the signature of handle and the last brace, and all others. */
    private record Count(int declaration, int handler, int file) {
        static Count of(String source) throws IOException {
            List<String> file = Files.readAllLines(ROOT.resolve(source));
            List<String> code = file.stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .filter(line -> !line.startsWith("package ") && !line.startsWith("import "))
                    .filter(line -> !line.startsWith("//") && !line.startsWith("/*") && !line.startsWith("*"))
                    .toList();
            int signature = 0;
            while (!code.get(signature).contains(" handle(")) {
                signature++;
            }
            while (!code.get(signature).endsWith("{")) {
                signature++;
            }
            int declaration = signature + 2; // lines count from 0; and the interface's last brace
            return new Count(declaration, code.size() - declaration, file.size());
        }
    }

    private static String source(String function) {
        return SOURCES + function + ".java";
    }

    private static String row(String function) throws IOException {
        Count ours = Count.of(source(function));
        return "| [" + function + "](../" + source(function) + ") | " + ours.declaration() + " | " + ours.handler()
                + " | " + ours.file() + " | " + ANGEL.getOrDefault(function, "- | -") + " |\n";
    }

    @Test
    void everyDeclarationHasAtMostFifteenLines() throws IOException {
        for (String function : FUNCTIONS) {
            assertThat(Count.of(source(function)).declaration()).as(function).isBetween(5, MOST);
        }
    }

    private static String hetuRow(Map.Entry<String, String> function) throws IOException {
        String name = function.getValue().substring(function.getValue().lastIndexOf('/') + 1);
        String source = BUILTINS + function.getValue() + ".java";
        return !Files.exists(ROOT.resolve(source))
                ? "| " + function.getKey() + " | not yet | - |\n"
                : "| " + function.getKey() + " | [" + name + "](../" + source + ") | "
                        + Count.of(source).declaration() + " |\n";
    }

    @Test
    void thePageCountsWhatIsThere() throws IOException {
        StringBuilder angel = new StringBuilder();
        for (String function : FUNCTIONS) {
            angel.append(row(function));
        }
        StringBuilder hetu = new StringBuilder();
        for (Map.Entry<String, String> function : HETU.entrySet()) {
            hetu.append(hetuRow(function));
        }
        String counted = counted(counted(Files.readString(PAGE), "angel", angel), "hetu", hetu);
        if (Boolean.getBoolean("compared.update")) {
            Files.writeString(PAGE, counted);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(counted);
    }

    /** The page with a table's rows anew. */
    private static String counted(String page, String name, CharSequence rows) {
        Matcher table = Pattern.compile("<!-- counted " + name + " -->\n(.*?)<!-- end -->", Pattern.DOTALL)
                .matcher(page);
        assertThat(table.find()).as("a counted table").isTrue();
        String head = table.group(1).lines().limit(2).reduce("", (above, line) -> above + line + "\n");
        return page.substring(0, table.start(1)) + head + rows + page.substring(table.end(1));
    }

    /** Only generated code sees the routing, and its merge is made from the layouts. */
    @Test
    void hetusFunctionsAreRegisteredWithoutAPartitionOrMergeWrittenByHand() throws Exception {
        Set<String> registered = new HashSet<>();
        for (HandlerProvider provider : ServiceLoader.load(HandlerProvider.class)) {
            registered.add(provider.binding().function().info().name());
        }
        assertThat(HETU).hasSize(17);
        for (String function : HETU.values()) {
            Path source = ROOT.resolve(BUILTINS + function + ".java");
            if (function.startsWith("checkpoint/") && !Files.exists(source)) {
                continue; // not yet
            }
            Class<?> type = Class.forName("io.psf.builtin." + function.replace('/', '.'));
            assertThat(registered).contains(type.getAnnotation(PsFunction.class).value());
            assertThat(type.getDeclaredMethods()).extracting(Method::getName).doesNotContain("merge");
            assertThat(Files.readString(source)).doesNotContain("spi.Routing", "spi.Merge", "spi.Function");
        }
    }

    @Test
    void thePagesLinksLeadSomewhere() throws IOException {
        Matcher link = Pattern.compile("\\]\\(([^)#:]+)\\)").matcher(Files.readString(PAGE));
        int links = 0;
        for (; link.find(); links++) {
            assertThat(PAGE.resolveSibling(link.group(1))).exists();
        }
        assertThat(links).isGreaterThan(FUNCTIONS.size());
    }
}
