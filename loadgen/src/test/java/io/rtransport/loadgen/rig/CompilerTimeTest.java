package io.rtransport.loadgen.rig;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongUnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class CompilerTimeTest {
  private volatile long result;

  /** Each call makes a class whose code has not been compiled. */
  private static LongUnaryOperator fresh() throws Exception {
    ClassLoader loader =
        new ClassLoader(CompilerTimeTest.class.getClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Work.class.getName())) {
              return super.loadClass(name, resolve);
            }
            try (var in = Work.class.getResourceAsStream("CompilerTimeTest$Work.class")) {
              byte[] bytes = in.readAllBytes();
              return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
              throw new ClassNotFoundException(name, e);
            }
          }
        };
    return (LongUnaryOperator)
        loader.loadClass(Work.class.getName()).getDeclaredConstructor().newInstance();
  }

  /** Something to compile. */
  public static final class Work implements LongUnaryOperator {
    @Override
    public long applyAsLong(long n) {
      long sum = 0;
      for (long i = 0; i < n; i++) {
        sum = sum * 31 + Long.rotateLeft(i, (int) sum);
      }
      return sum;
    }
  }

  @Test
  void shouldSeeWhatTheCompilersUsed() {
    Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/task")));
    CompilerTime time = new CompilerTime();
    Awaitility.await()
        .until(
            () -> {
              result = fresh().applyAsLong(200_000);
              return time.sinceLastNs() > 0;
            });
  }
}
