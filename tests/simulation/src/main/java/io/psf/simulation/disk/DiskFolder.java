package io.psf.simulation.disk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The names of a folder. Changes reach the disk in their order; a renaming is one change. */
final class DiskFolder implements DiskEntry {
    private final long number;
    private SortedMap<String, DiskEntry> entries = new TreeMap<>();
    private SortedMap<String, DiskEntry> forced = new TreeMap<>();
    /** Names and what they stand for since; null for what is gone. */
    private final List<Map<String, @Nullable DiskEntry>> unforced = new ArrayList<>();

    private long modifiedMillis;

    DiskFolder(long number) {
        this.number = number;
        this.modifiedMillis = System.currentTimeMillis();
    }

    @Nullable
    DiskEntry get(String name) {
        return entries.get(name);
    }

    List<String> names() {
        return List.copyOf(entries.keySet());
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    void put(String name, DiskEntry entry) {
        change(Map.of(name, entry));
    }

    void remove(String name) {
        Map<String, @Nullable DiskEntry> gone = new HashMap<>();
        gone.put(name, null);
        change(gone);
    }

    void rename(String from, String to, DiskEntry entry) {
        Map<String, @Nullable DiskEntry> both = new HashMap<>();
        both.put(from, null);
        both.put(to, entry);
        change(both);
    }

    private void change(Map<String, @Nullable DiskEntry> change) {
        unforced.add(change);
        apply(change);
        modifiedMillis = System.currentTimeMillis();
    }

    private void apply(Map<String, @Nullable DiskEntry> change) {
        change.forEach((name, entry) -> {
            if (entry == null) {
                entries.remove(name);
            } else {
                entries.put(name, entry);
            }
        });
    }

    @Override
    public void force() {
        forced = new TreeMap<>(entries);
        unforced.clear();
    }

    @Override
    public void lose(SplittableRandom random) {
        entries = new TreeMap<>(forced);
        unforced.subList(0, random.nextInt(unforced.size() + 1)).forEach(this::apply);
        force();
        entries.values().forEach(each -> each.lose(random));
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public long size() {
        return 0;
    }

    @Override
    public long modifiedMillis() {
        return modifiedMillis;
    }
}
