package io.psf.processor.model;

import io.psf.api.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * A PS function.
 *
 * @param type the interface
 * @param name its identity between processes
 * @param place where it runs
 * @param readOnly whether it changes nothing
 * @param ordered whether calls of one worker on one shard run one after the other
 * @param visible whether the interface is public
 * @param later whether the handler answers with a stage
 * @param whole whether {@code handle} has a default body
 * @param own what the interface says of its own on how the answers become one
 * @param doc the interface's javadoc without its tags; empty if it has none
 * @param requestType the request's record; {@code Object} if there is none
 * @param request the request's components
 * @param responseType the response's record; {@code Object} if there is none
 * @param response the response's components
 * @param formerly the names that it had before
 */
public record FunctionModel(
        ClassRef type,
        String name,
        Place place,
        boolean readOnly,
        boolean ordered,
        boolean visible,
        boolean later,
        boolean whole,
        OwnMerge own,
        String doc,
        ClassRef requestType,
        List<Component> request,
        ClassRef responseType,
        List<Component> response,
        List<String> formerly) {
    public FunctionModel {
        request = List.copyOf(request);
        response = List.copyOf(response);
        formerly = List.copyOf(formerly);
    }

    /** The class that is generated. */
    public ClassRef generated() {
        return type.beside("Psf");
    }

    /** Whether the caller may give arrays to be filled. */
    public boolean fills() {
        return response.stream().anyMatch(component -> component.layout().isLaidOut());
    }

    /** Whether a merge needs the tensor's width to put rows behind one another. */
    public boolean appends() {
        return response.stream().anyMatch(component -> component.layout() instanceof Layout.Appended);
    }

    /** Whether the interface has a merge of its own, in the place of layouts. */
    public boolean merged() {
        return own == OwnMerge.OF_SLICES || own == OwnMerge.OF_REQUEST_AND_SLICES;
    }

    /** Whether a merge sets elements of lists where their keys stand. */
    public boolean lists() {
        return response.stream().anyMatch(component -> component.layout() instanceof Layout.Listed);
    }

    /** Whether the answer of a part is decoded into a response, and not scattered. */
    public boolean decodesAnswers() {
        return merged() || isSingle();
    }

    /** Whether one node alone answers. */
    public boolean isSingle() {
        return place == Place.SCHEDULER || owner().isPresent();
    }

    /** The key whose owner among the servers answers alone. */
    public Optional<Component> owner() {
        return request.stream()
                .filter(component -> component.layout() instanceof Layout.Owner)
                .findFirst();
    }

    /** The schema as text, one for each version from 1 on. */
    public List<String> schemas() {
        List<String> schemas = new ArrayList<>();
        for (int version = 1; version <= version(); version++) {
            schemas.add(name + " at " + place + " " + schema(request, version) + " -> " + schema(response, version)
                    + (merged() ? " merged" : ""));
        }
        return schemas;
    }

    /** The versions in which a caller gave fewer components than now, the last one first. */
    public List<Integer> olderCalls() {
        return request.stream()
                .map(component -> component.since() - 1)
                .filter(version -> version > 0)
                .distinct()
                .sorted(Comparator.reverseOrder())
                .toList();
    }

    /** The request's components in a version. */
    public List<Component> request(int version) {
        return request.stream()
                .filter(component -> component.since() <= version)
                .toList();
    }

    /** The schema's current version, from 1. */
    public int version() {
        return Math.max(lastVersion(request), lastVersion(response));
    }

    private static int lastVersion(List<Component> components) {
        return components.stream().mapToInt(Component::last).max().orElse(1);
    }

    /** The first version that brought something within the nested records of a tuple, which has a section then. */
    public static OptionalInt firstSection(List<Component> tuple) {
        return tuple.stream().flatMapToInt(Component::sections).min();
    }

    private static String schema(List<Component> components, int version) {
        return components.stream()
                .filter(component -> component.since() <= version)
                .map(component -> component.schema(version))
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
