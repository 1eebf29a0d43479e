package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.types")
public interface Types {
  record Tree(List<Tree> children) {} // ERROR [PsfType]

  record Box<T>(T value) {}

  record Empty() {}

  record Later(@Since(2) int x) {}

  record Nested(Empty empty) {}

  enum None {}

  record Deep(
      Map<Integer, String> map, // ERROR [PsfType]
      FloatArray shared) {} // ERROR [PsfType]

  record Request(
      TensorId tensor,
      Float boxed, // ERROR [PsfType]
      char letter, // ERROR [PsfType]
      List<Character> letters, // ERROR [PsfType]
      List<float[]> list, // ERROR [PsfType]
      List<FloatArray> arrays, // ERROR [PsfType]
      List<List<String>> lists, // ERROR [PsfType]
      List<?> any, // ERROR [PsfType]
      float[][] matrix, // ERROR [PsfType]
      boolean[][] flags, // ERROR [PsfType]
      String[] words, // ERROR [PsfType]
      Object object, // ERROR [PsfType]
      Map<TensorId, Integer> map, // ERROR [PsfType]
      Map<String, Deep> records, // ERROR [PsfType]
      Map<String, List<String>> several, // ERROR [PsfType]
      Map<String, ? extends Number> numbers, // ERROR [PsfType]
      HashMap<String, Integer> hashed, // ERROR [PsfType]
      Set<String> set, // ERROR [PsfType]
      Tree tree,
      Box<String> box, // ERROR [PsfType]
      List<Empty> empties, // ERROR [PsfType]
      List<Later> laters, // ERROR [PsfType]
      Deep deep,
      Deep twice,
      List<Nested> nested, // ERROR [PsfType]
      None none, // ERROR [PsfType]
      List<None> nones, // ERROR [PsfType]
      Map<String, None> noneByName, // ERROR [PsfType]
      Optional<String> maybe) {} // ERROR [PsfType]

  record Response(java.time.Duration took) {} // ERROR [PsfType]

  Response handle(Request slice, Shard shard);
}
