package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.answers")
public interface Answers {
  enum Mode { A, B }

  record Item(long key, String text) {}

  record Request(TensorId tensor, @ByKey LongArray keys) {}

  record Response(
      double norm, // ERROR [PsfResponseLayout]
      boolean all, // ERROR [PsfResponseLayout]
      FloatArray values, // ERROR [PsfResponseLayout]
      String text, // ERROR [PsfResponseLayout]
      @Reduce(Reduction.AND) double and, // ERROR [PsfReduction]
      @Reduce(Reduction.SUM) boolean sum, // ERROR [PsfReduction]
      @Reduce(Reduction.NONE) double none, // ERROR [PsfReduction]
      @Reduce(Reduction.LAST) FloatArray last, // ERROR [PsfReduction]
      float[] plain, // ERROR [PsfResponseLayout]
      List<Item> fine,
      List<String> words,
      Map<String, String> map,
      @Reduce(Reduction.MAX) Map<String, Float> best,
      boolean[] flags, // ERROR [PsfResponseLayout]
      @Reduce(Reduction.OR) boolean[] any, // ERROR [PsfLayoutType]
      @Reduce(Reduction.SUM) Map<String, String> texts, // ERROR [PsfLayoutType]
      @Reduce(Reduction.MAX) Map<String, Mode> modes, // ERROR [PsfLayoutType]
      @Reduce(Reduction.SUM) Map<String, Boolean> flagged, // ERROR [PsfReduction]
      @Reduce(Reduction.AND) Map<String, Integer> counted, // ERROR [PsfReduction]
      @ByRange Map<String, Integer> laid, // ERROR [PsfLayoutType]
      @Reduce(Reduction.SUM) List<Integer> numbers, // ERROR [PsfLayoutType]
      @Reduce(Reduction.SUM) List<Item> list, // ERROR [PsfLayoutType]
      @Reduce(Reduction.MAX) Mode mode, // ERROR [PsfLayoutType]
      @Reduce(Reduction.SUM) float[] copied) {} // ERROR [PsfLayoutType]

  Response handle(Request slice, Shard shard);
}
