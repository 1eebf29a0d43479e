package io.psf.processor;

import io.psf.api.Place;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * A function's interface that was drawn from a seed.
 *
 * @param seed what it was drawn from
 * @param type the interface's simple name; its package is the seed's
 * @param place where it runs
 * @param merged whether it has a merge of its own, which keeps what it is given
 * @param later whether its handler answers with a stage
 * @param last the last version that may have brought something
 * @param nested the sources of its nested types in a version
 * @param request the request's components
 * @param response the response's components
 */
record RandomFunction(
        int seed,
        String type,
        Place place,
        boolean merged,
        boolean later,
        int last,
        IntFunction<List<String>> nested,
        List<Column> request,
        List<Column> response) {
    String packageName() {
        return "law.s" + seed;
    }

    String qualified() {
        return packageName() + "." + type;
    }

    /** Whether one node alone answers. */
    boolean isSingle() {
        return place == Place.SCHEDULER || request.stream().anyMatch(each -> each.lay() == Column.Lay.OWNER);
    }

    List<Column> request(int version) {
        return of(request, version);
    }

    List<Column> response(int version) {
        return of(response, version);
    }

    private static List<Column> of(List<Column> columns, int version) {
        return columns.stream().filter(each -> each.since() <= version).toList();
    }

    /** The interface as it was in a version. */
    String source(int version) {
        String answer = later ? "java.util.concurrent.CompletionStage<Response>" : "Response";
        String where = place == Place.SHARD ? "io.psf.api.Shard" : "io.psf.api.Node";
        StringBuilder source = new StringBuilder();
        source.append("package ").append(packageName()).append(";\n\n");
        source.append("/** Costs $1, 100% {@code of} what $T has.\n *\n * @author nobody\n */\n");
        source.append("@io.psf.api.PsFunction(value = \"law.s").append(seed);
        source.append("\", at = io.psf.api.Place.").append(place).append(")\n");
        source.append("public interface ").append(type).append(" {\n");
        nested.apply(version).forEach(each -> source.append(each.indent(2)));
        source.append(tuple("Request", request(version)));
        source.append(tuple("Response", response(version)));
        source.append("  ")
                .append(answer)
                .append(" handle(Request request, ")
                .append(where)
                .append(" place);\n");
        if (merged) {
            source.append("  java.util.List<Response> SEEN = new java.util.ArrayList<>();\n")
                    .append("  static Response merge(")
                    .append(seed % 2 == 0 ? "Request request, " : "")
                    .append("java.util.List<Response> slices) {\n")
                    .append("    SEEN.clear();\n    SEEN.addAll(slices);\n")
                    .append("    return slices.isEmpty() ? null : slices.get(0);\n  }\n");
        }
        if (!merged && !isSingle() && seed % 3 == 0) {
            source.append("  static Response finish(Request request, Response merged) {\n")
                    .append("    java.util.Objects.requireNonNull(request);\n    return merged;\n  }\n");
        }
        return source.append("}\n").toString();
    }

    private static String tuple(String name, List<Column> columns) {
        return columns.stream()
                .map(each -> "      " + each.source())
                .collect(Collectors.joining(
                        ",\n", "  record " + name + "(" + (columns.isEmpty() ? "" : "\n"), ") {}\n"));
    }
}
