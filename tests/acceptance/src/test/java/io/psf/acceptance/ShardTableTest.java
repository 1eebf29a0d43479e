package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Optimizer;
import io.psf.api.Shard;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Checks that the tables of what a handler may ask of a shard are those of {@link Shard}. */
final class ShardTableTest {
    private static final Pattern CALL = Pattern.compile("(?<![A-Za-z.])([a-z]\\w*)\\(");
    private static final Pattern OF_OPTIMIZER = Pattern.compile("optimizer\\(\\)\\.(\\w+)\\(");

    private static Set<String> methods(Class<?> type) {
        return Arrays.stream(type.getMethods()).map(Method::getName).collect(Collectors.toSet());
    }

    @Test
    void theTablesHaveEveryMethodOfAShardAndNoOther() throws IOException {
        String page = Files.readString(Page.ROOT.resolve("docs/guide/functions.md"));
        String tables = page.substring(
                page.indexOf("### What a handler may ask of a shard"), page.indexOf("A handler at `SERVER` or"));
        Set<String> named = new HashSet<>();
        Set<String> ofOptimizer = new HashSet<>();
        tables.lines().filter(line -> line.startsWith("| `")).forEach(line -> {
            Matcher call = CALL.matcher(line.substring(0, line.indexOf('|', 1)));
            while (call.find()) {
                named.add(call.group(1));
            }
            Matcher apply = OF_OPTIMIZER.matcher(line);
            while (apply.find()) {
                ofOptimizer.add(apply.group(1));
            }
        });
        assertThat(named).containsExactlyInAnyOrderElementsOf(methods(Shard.class));
        assertThat(ofOptimizer).isNotEmpty().isSubsetOf(methods(Optimizer.class));
    }
}
