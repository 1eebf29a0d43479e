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
 * @param name the function's name, its identity between processes
 * @param place where the function runs
 * @param readOnly true if the function changes nothing
 * @param ordered true if calls of one worker on one shard run one after the other
 * @param visible true if the interface is public
 * @param shard the kind of shard that {@code handle} takes; empty if it takes every kind, or a node
 * @param later true if the handler returns a stage of the response
 * @param hasDefaultBody true if {@code handle} has a default body
 * @param own the interface's own merge method, if any
 * @param doc the interface's javadoc without its tags; empty if it has none
 * @param requestType the request's record; {@code Object} if there is none
 * @param request the request's components
 * @param responseType the response's record; {@code Object} if there is none
 * @param response the response's components
 * @param formerly the function's former names
 */
public record FunctionModel(
        ClassRef type,
        String name,
        Place place,
        boolean readOnly,
        boolean ordered,
        boolean visible,
        Optional<ClassRef> shard,
        boolean later,
        boolean hasDefaultBody,
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

    /** Returns the generated class. */
    public ClassRef generated() {
        return type.beside("Psf");
    }

    /** True if the caller may pass arrays to be filled. */
    public boolean fills() {
        return response.stream().anyMatch(component -> component.layout().isLaidOut());
    }

    /** True if a merge needs the tensor's width to concatenate rows. */
    public boolean mergesProducedRows() {
        return response.stream().anyMatch(component -> component.layout() instanceof Layout.AlongProducedKeys);
    }

    /** True if the interface has its own merge instead of layouts. */
    public boolean merged() {
        return own == OwnMerge.OF_SLICES || own == OwnMerge.OF_REQUEST_AND_SLICES;
    }

    /** True if a merge sets elements of lists at the positions of their keys. */
    public boolean mergesLists() {
        return response.stream().anyMatch(component -> component.layout() instanceof Layout.ElementsAlongKeys);
    }

    /** True if the answer of a part is decoded into a response, and not scattered. */
    public boolean decodesAnswers() {
        return merged() || isSingle();
    }

    /** True if only one node answers. */
    public boolean isSingle() {
        return place == Place.SCHEDULER || owner().isPresent();
    }

    /** Returns the key whose owner among the servers is the only node that answers. */
    public Optional<Component> owner() {
        return request.stream()
                .filter(component -> component.layout() instanceof Layout.Owner)
                .findFirst();
    }

    /** Returns the schema as text, one for each version from 1 on. */
    public List<String> schemas() {
        List<String> schemas = new ArrayList<>();
        for (int version = 1; version <= version(); version++) {
            schemas.add(name + " at " + place + " " + schema(request, version) + " -> " + schema(response, version)
                    + (merged() ? " merged" : ""));
        }
        return schemas;
    }

    /** Returns the versions in which the request had fewer components than now, the last version first. */
    public List<Integer> olderCalls() {
        return request.stream()
                .map(component -> component.since() - 1)
                .filter(version -> version > 0)
                .distinct()
                .sorted(Comparator.reverseOrder())
                .toList();
    }

    /** Returns the request's components in a version. */
    public List<Component> request(int version) {
        return request.stream()
                .filter(component -> component.since() <= version)
                .toList();
    }

    /** Returns the schema's current version, from 1. */
    public int version() {
        return Math.max(lastVersion(request), lastVersion(response));
    }

    private static int lastVersion(List<Component> components) {
        return components.stream().mapToInt(Component::last).max().orElse(1);
    }

    /** Returns the first version that added a part of a tuple's nested records. Such a tuple has sections. */
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
