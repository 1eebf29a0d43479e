package io.psf.processor.model;

import io.psf.api.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
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
 * @param merged whether the interface has a merge of its own
 * @param doc the interface's javadoc without its tags; empty if it has none
 * @param requestType the request's record; {@code Object} if there is none
 * @param request the request's components
 * @param responseType the response's record; {@code Object} if there is none
 * @param response the response's components
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
        boolean merged,
        String doc,
        ClassRef requestType,
        List<Component> request,
        ClassRef responseType,
        List<Component> response) {
    public FunctionModel {
        request = List.copyOf(request);
        response = List.copyOf(response);
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

    /** Whether the answer of a part is decoded into a response, and not scattered. */
    public boolean decodesAnswers() {
        return merged || isSingle();
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
        int last = Math.max(lastVersion(request), lastVersion(response));
        for (int version = 1; version <= last; version++) {
            schemas.add(name + " at " + place + " " + schema(request, version) + " -> " + schema(response, version)
                    + (merged ? " merged" : ""));
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

    private static int lastVersion(List<Component> components) {
        return components.stream().mapToInt(Component::since).max().orElse(1);
    }

    private static String schema(List<Component> components, int version) {
        return components.stream()
                .filter(component -> component.since() <= version)
                .map(Component::schema)
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
