package io.psf.processor;

import io.psf.api.TensorLayout;
import io.psf.api.layout.Reduction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The partition as it is documented, written down again the slow way: what each slice gets of a request. Arrays are
 * lists of their elements.
 */
final class Slicing {
    private final List<Column> request;
    private final Map<String, List<Object>> arrays;
    private final TensorLayout layout;
    private final TensorLayout beside;

    /**
     * The slicing of a request.
     *
     * @param arrays the shared arrays by name
     * @param beside the layout of the tensors that key sets name besides the first
     */
    Slicing(List<Column> request, Map<String, List<Object>> arrays, TensorLayout layout, TensorLayout beside) {
        this.request = request;
        this.arrays = arrays;
        this.layout = layout;
        this.beside = beside;
    }

    /** The layout of the tensor whose keys a component of a tuple holds or goes along; if none, the first. */
    static TensorLayout layout(List<Column> request, Column each, TensorLayout first, TensorLayout beside) {
        for (Column other : request) {
            if (each.lay() == Column.Lay.KEYS && other.name().equals(each.of())) {
                return other.lay() == Column.Lay.TARGET ? first : beside;
            } else if (other.lay() == Column.Lay.KEYS && other.name().equals(each.leader())) {
                return layout(request, other, first, beside);
            }
        }
        return first;
    }

    private TensorLayout layout(Column each) {
        return layout(request, each, layout, beside);
    }

    /** Elements in a row of a component. */
    int width(Column each) {
        return each.elements(layout(each).info().width());
    }

    TensorLayout layout() {
        return layout;
    }

    /** Whether a slice gets a request. */
    boolean touches(int slice, boolean responseByRange) {
        List<Column> keys =
                request.stream().filter(each -> each.lay() == Column.Lay.KEYS).toList();
        boolean ranges = request.stream().anyMatch(each -> each.lay() == Column.Lay.RANGE);
        return keys.isEmpty()
                || ranges
                || responseByRange
                || keys.stream()
                        .anyMatch(each -> each.everySlice()
                                || !positions(each.name(), slice).isEmpty());
    }

    /** What a slice gets of a shared array. */
    List<Object> of(Column each, int slice) {
        List<Object> array = array(each.name());
        int width = width(each);
        return switch (each.lay()) {
            case RANGE ->
                array.subList(
                        (int) layout.range(slice).begin() * width,
                        (int) layout.range(slice).end() * width);
            case KEYS -> new ArrayList<>(keys(each.name(), slice));
            case ALONG, COUNTS -> rows(each, slice, width);
            case RAGGED -> ragged(each, slice);
            default -> array;
        };
    }

    private List<Object> array(String name) {
        return arrays.getOrDefault(name, List.of());
    }

    private boolean isFolded(String keys) {
        return column(keys).fold() != Reduction.NONE;
    }

    /** How many keys the caller gave. */
    int size(String keys) {
        return array(keys).size();
    }

    Column column(String name) {
        return request.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The keys that a slice is sent. */
    List<Object> keys(String set, int slice) {
        List<Object> keys = new ArrayList<>();
        positions(set, slice).forEach(position -> keys.add(array(set).get(position)));
        return isFolded(set) ? List.copyOf(new LinkedHashSet<>(keys)) : keys;
    }

    /** Where a slice's keys stand in the caller's array. */
    List<Integer> positions(String set, int slice) {
        List<Integer> positions = new ArrayList<>();
        for (int i = 0; i < array(set).size(); i++) {
            if (layout(column(set)).range(slice).contains((Long) array(set).get(i))) {
                positions.add(i);
            }
        }
        return positions;
    }

    /** The row of a slice's answer that belongs to one of its positions. */
    int row(String set, int slice, int position) {
        return isFolded(set)
                ? keys(set, slice).indexOf(array(set).get(position))
                : positions(set, slice).indexOf(position);
    }

    private List<Object> rows(Column each, int slice, int width) {
        List<Object> rows = new ArrayList<>();
        Column keys = column(each.leader());
        if (array(each.name()).isEmpty()) {
            return rows; // of a caller who does not know them
        }
        for (Object key : isFolded(keys.name()) ? keys(keys.name(), slice) : List.of()) {
            List<List<Object>> same = positions(keys.name(), slice).stream()
                    .filter(position -> array(keys.name()).get(position).equals(key))
                    .map(position -> row(each, position, width))
                    .toList();
            for (int c = 0; c < width; c++) {
                int column = c;
                rows.add(Elements.fold(
                        keys.fold(), same.stream().map(row -> row.get(column)).toList()));
            }
        }
        if (!isFolded(keys.name())) {
            positions(keys.name(), slice).forEach(position -> rows.addAll(row(each, position, width)));
        }
        return rows;
    }

    private List<Object> row(Column each, int position, int width) {
        return array(each.name()).subList(position * width, (position + 1) * width);
    }

    private List<Object> ragged(Column each, int slice) {
        List<Object> counts = array(each.leader());
        List<Object> rows = new ArrayList<>();
        if (array(each.name()).isEmpty()) {
            return rows;
        }
        int[] begins = new int[counts.size() + 1];
        Arrays.setAll(begins, i -> 0);
        for (int i = 0; i < counts.size(); i++) {
            begins[i + 1] = begins[i] + (Integer) counts.get(i);
        }
        for (int position : positions(column(each.leader()).leader(), slice)) {
            rows.addAll(array(each.name()).subList(begins[position], begins[position + 1]));
        }
        return rows;
    }
}
