package io.rtransport.netty;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Handle;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Type;
import io.rtransport.core.queue.Parker;
import io.rtransport.core.queue.QueueHandler;
import io.rtransport.core.solicitation.CreditPool;
import io.rtransport.core.solicitation.NodeBudget;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.window.RetransmissionStore;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The arrows of this module: the adapter knows core and Netty, its handlers and ports do not know
 * its channels.
 */
@AnalyzeClasses(packages = "io.rtransport.netty", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule OUTSIDE =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages(
              "io.rtransport.core..",
              "io.rtransport.netty..",
              "io.netty..",
              "org.agrona.collections..", // which core brings
              "java..",
              "jdk.jfr..")
          .because("users get Netty and core, nothing else");

  @ArchTest
  static final ArchRule PORTS =
      noClasses()
          .that()
          .resideInAPackage("..netty.port..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.rtransport.netty", "..netty.handler..")
          .because("a port is below all of it");

  @ArchTest
  static final ArchRule HANDLERS =
      noClasses()
          .that()
          .resideInAPackage("..netty.handler..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.rtransport.netty", "..netty.port..")
          .because("a handler translates events to the verbs of its sublayer");

  @ArchTest
  static final ArchRule INTERNALS =
      noClasses()
          .that()
          .resideInAPackage("..netty.internal..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.rtransport.netty")
          .because("a channel stands on its loop, its files and its server's sockets");

  @ArchTest
  static final ArchRule UPCALLS =
      noClasses()
          .should()
          .implement(
              JavaClass.Predicates.resideInAPackage("io.rtransport.core..")
                  .and(
                      DescribedPredicate.not(
                          JavaClass.Predicates.belongToAnyOf(
                              PayloadSource.class,
                              PushSupplier.class,
                              QueueHandler.class,
                              Parker.class))))
          .because(
              "core calls nobody but for payload and for small pushes that are ready; and a"
                  + " consumer of queues on its own thread, which has called it");

  @ArchTest
  static final ArchRule INSIDE_OF_CORE =
      noClasses()
          .should()
          .dependOnClassesThat(
              JavaClass.Predicates.resideInAnyPackage(
                      "io.rtransport.core.window",
                      "io.rtransport.core.solicitation",
                      "io.rtransport.core.cam")
                  .and(
                      DescribedPredicate.not(
                          JavaClass.Predicates.belongToAnyOf(
                              RetransmissionStore.class,
                              NodeBudgets.class,
                              NodeBudget.class,
                              CreditPool.class))))
          .because("the adapter reads no PSN, window or stage of the core");

  /** Each package, the root too, is a slice of its own. */
  private static final SliceAssignment PACKAGES =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
          return SliceIdentifier.of(type.getPackageName());
        }

        @Override
        public String getDescription() {
          return "packages";
        }
      };

  @ArchTest
  static final ArchRule NO_CYCLES = slices().assignedFrom(PACKAGES).should().beFreeOfCycles();

  /** The rule UPCALLS for lambdas and method references, which implement nothing by name. */
  @ArchTest
  static void shouldGiveCoreNoLambda(JavaClasses classes) throws IOException {
    List<String> lambdas = new ArrayList<>();
    int seen = 0;
    for (JavaClass type : classes) {
      try (InputStream bytes = type.getSource().orElseThrow().getUri().toURL().openStream()) {
        seen += LambdaTypes.of(bytes, type.getName(), lambdas);
      }
    }
    assertThat(seen).as("lambdas that were looked at").isGreaterThan(100);
    assertThat(lambdas).isEmpty();
  }

  /** Finds the interfaces that a class's lambdas implement. */
  private static final class LambdaTypes extends ClassVisitor {
    private final String name;
    private final List<String> ofCore;
    private int seen;

    private LambdaTypes(String name, List<String> ofCore) {
      super(Opcodes.ASM9);
      this.name = name;
      this.ofCore = ofCore;
    }

    /** Adds those of core to {@code ofCore}, and returns the number of all. */
    static int of(InputStream bytes, String name, List<String> ofCore) throws IOException {
      LambdaTypes types = new LambdaTypes(name, ofCore);
      new ClassReader(bytes).accept(types, ClassReader.SKIP_DEBUG);
      return types.seen;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String method, String descriptor, String signature, String[] exceptions) {
      return new MethodVisitor(Opcodes.ASM9) {
        @Override
        public void visitInvokeDynamicInsn(
            String called, String type, Handle bootstrap, Object... arguments) {
          seen++;
          String made = Type.getReturnType(type).getClassName();
          if (made.startsWith("io.rtransport.core.")) {
            ofCore.add(name + "." + method + " makes a " + made);
          }
        }
      };
    }
  }
}
